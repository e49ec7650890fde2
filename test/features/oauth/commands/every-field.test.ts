/** A login at a server written from the RFCs, with fields of its answers missing, null, empty and of another type. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse } from '../../../support/oidc.ts';
import { svc } from '../../../support/svc.ts';
import { type Fields, type Part, PlainServer } from './plain-server.ts';
import { login, stored } from './signing-in.ts';

let server: PlainServer;
beforeAll(async () => {
  server = await PlainServer.start();
});
afterAll(() => server.close());

type Change = 'missing' | 'null' | 'empty' | 'retyped' | 'strange';
const CHANGES: readonly Change[] = ['missing', 'null', 'empty', 'retyped', 'strange'];

/** A text becomes a number, and anything else a text. An object of the last kind cannot be made a text. */
const VALUES: Readonly<Record<Exclude<Change, 'missing'>, (old: unknown) => unknown>> = {
  null: () => null,
  empty: () => '',
  retyped: (old) => (typeof old === 'string' ? 7 : 'text'),
  strange: (old) => (typeof old === 'object' ? 7 : { toString: null, strange: [old === undefined] }),
};

function changed(fields: Fields, names: readonly string[], change: Change): Fields {
  const others = Object.entries(fields).filter(([name]) => !names.includes(name));
  if (change === 'missing') return Object.fromEntries(others);
  return { ...fields, ...Object.fromEntries(names.map((name) => [name, VALUES[change](fields[name])])) };
}

interface Need {
  /** What stderr says about it. */
  readonly says: RegExp;
  /** The changes that svc cannot do with: all of them, unless given. */
  readonly only?: readonly Change[];
}

/** What a login cannot do without. Everything else may be anything. */
const NEEDED: Readonly<Record<Part, Readonly<Record<string, Need>>>> = {
  metadata: {
    issuer: { says: /issuer/ },
    authorization_endpoint: { says: /authorization_endpoint/ },
    token_endpoint: { says: /token_endpoint/ },
    registration_endpoint: { says: /does not offer client registration/ },
    code_challenge_methods_supported: { says: /code_challenge_methods_supported/ },
  },
  registration: {
    // A number is read as its text.
    client_id: { says: /client_id/, only: ['missing', 'null', 'empty', 'strange'] },
    client_secret: { says: /client_secret/ },
  },
  token: {
    access_token: { says: /access_token/ },
    token_type: { says: /token_type/, only: ['retyped', 'strange'] },
  },
  callback: {
    code: { says: /no sign-in within|invalid_grant/ },
    state: { says: /no sign-in within/ },
    iss: { says: /the sign-in response/ },
  },
};

function isNeeded(part: Part, name: string, change: Change): boolean {
  const need = NEEDED[part][name];
  return need !== undefined && (need.only ?? CHANGES).includes(change);
}

/** The time for the sign-in is over when the browser has returned. A client with a secret needs more of the registration. */
function signIn(part: Part) {
  let setReturned = (): void => {};
  const returned = new Promise<void>((done) => {
    setReturned = done;
  });
  return login({
    url: server.url,
    args: part === 'registration' ? ['--auth-method', 'client_secret_basic'] : [],
    sleepsUntil: (ms) => (ms === 60_000 ? returned : undefined),
    visit: async (url) => {
      const visit = await browse(url);
      if (visit.status !== 200) setReturned();
      return visit;
    },
  });
}

async function fieldsOf(part: Part): Promise<readonly string[]> {
  let names: readonly string[] = [];
  server.change = (one, fields) => {
    if (one === part) names = Object.keys(fields);
    return fields;
  };
  expect((await signIn(part)).code).toBe(0);
  expect(names).toEqual(expect.arrayContaining(Object.keys(NEEDED[part])));
  return names;
}

async function expectLogin(part: Part, names: readonly string[], change: Change): Promise<void> {
  const about = `${names} of the ${part}: ${change}`;
  server.change = (one, fields) => (one === part ? changed(fields, names, change) : fields);
  const run = await signIn(part);
  expect({ about, code: run.code }, run.stderr).toEqual({ about, code: 0 });
  const [credential] = stored(run.home)?.credentials ?? [];
  const isRenewable = credential?.kind === 'oauth' && credential.refresh_token !== undefined;
  const refreshed = await svc(['oauth', 'refresh', '--base-url', server.url], { home: run.home });
  expect({ about, code: refreshed.code }, refreshed.stderr).toEqual({ about, code: isRenewable ? 0 : 4 });
}

async function expectFailure(part: Part, name: string, change: Change): Promise<void> {
  const about = `${name} of the ${part}: ${change}`;
  server.change = (one, fields) => (one === part ? changed(fields, [name], change) : fields);
  const run = await signIn(part);
  expect([3, 4, 8], `${about}: ${run.stderr}`).toContain(run.code);
  expect(run.stderr, about).toMatch(NEEDED[part][name]?.says ?? /never/);
  expect(run.stdout + run.stderr, about).not.toMatch(/(?:access|refresh|secret)-[0-9a-f-]{36}/);
  expect(stored(run.home), about).toBeUndefined();
}

describe.each([
  ['metadata', 24],
  ['registration', 20],
  ['token', 5],
  ['callback', 3],
] as const)('svc oauth login, with another %s', (part, count) => {
  it('needs some fields, and says which one is wrong', async () => {
    for (const name of Object.keys(NEEDED[part])) {
      for (const change of CHANGES) if (isNeeded(part, name, change)) await expectFailure(part, name, change);
    }
  });

  it('does without the others', async () => {
    const names = await fieldsOf(part);
    expect(names).toHaveLength(count);
    for (const change of CHANGES) {
      const others = names.filter((name) => !isNeeded(part, name, change));
      // Those of a token lead to each other: without a refresh token no other of them is used again.
      const groups = part === 'token' ? others.map((name) => [name]) : [others];
      for (const group of groups) if (group.length > 0) await expectLogin(part, group, change);
    }
  });
});
