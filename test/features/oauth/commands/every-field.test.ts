/** A login at a server written from the RFCs, with each field of its answers missing, null, empty and of another type in turn. */
import { afterAll, beforeAll, expect, it } from 'vitest';
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

/** A text becomes a number, and anything else a text. */
const VALUES: Readonly<Record<Exclude<Change, 'missing'>, (old: unknown) => unknown>> = {
  null: () => null,
  empty: () => '',
  retyped: (old) => (typeof old === 'string' ? 7 : 'text'),
  strange: (old) => (typeof old === 'object' ? 7 : { strange: [old === undefined] }),
};

function changed(fields: Fields, name: string, change: Change): Fields {
  const { [name]: old, ...others } = fields;
  return change === 'missing' ? others : { ...others, [name]: VALUES[change](old) };
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

/** A client with a secret needs more of the registration. Without a code or a state the sign-in goes on until its time is over. */
function argsFor(part: Part, name: string): readonly string[] {
  if (part === 'registration') return ['--auth-method', 'client_secret_basic'];
  return part === 'callback' && name !== 'iss' ? ['--wait', '200ms'] : [];
}

async function fieldsOf(part: Part): Promise<readonly string[]> {
  let names: readonly string[] = [];
  server.change = (one, fields) => {
    if (one === part) names = Object.keys(fields);
    return fields;
  };
  expect((await login({ url: server.url })).code).toBe(0);
  return names;
}

/** Signs in and refreshes. */
async function visit(part: Part, name: string, change: Change): Promise<void> {
  const about = `${name} of the ${part} is ${change}`;
  const need = NEEDED[part][name];
  const isNeeded = need !== undefined && (need.only ?? CHANGES).includes(change);
  server.change = (one, fields) => (one === part ? changed(fields, name, change) : fields);
  const run = await login({ url: server.url, args: argsFor(part, name) });
  expect(run.stdout + run.stderr, about).not.toMatch(/(?:access|refresh|secret)-[0-9a-f-]{36}/);
  if (isNeeded) {
    expect([3, 4, 8], `${about}: ${run.stderr}`).toContain(run.code);
    expect(run.stderr, about).toMatch(need.says);
    expect(stored(run.home), about).toBeUndefined();
    return;
  }
  expect({ code: run.code, about, stderr: run.code === 0 ? '' : run.stderr }).toEqual({ code: 0, about, stderr: '' });
  const [credential] = stored(run.home)?.credentials ?? [];
  const isRenewable = credential?.kind === 'oauth' && credential.refresh_token !== undefined;
  const refreshed = await svc(['oauth', 'refresh', '--base-url', server.url], { home: run.home });
  expect({ about, code: refreshed.code }, refreshed.stderr).toEqual({ about, code: isRenewable ? 0 : 4 });
}

it.each([
  ['metadata', 24],
  ['registration', 20],
  ['token', 5],
  ['callback', 3],
] as const)('%s: every field in turn', async (part, count) => {
  const names = await fieldsOf(part);
  const visited = new Set<string>();
  for (const name of names) {
    for (const change of CHANGES) {
      await visit(part, name, change);
      visited.add(`${name} ${change}`);
    }
  }
  expect(visited.size).toBe(count * CHANGES.length);
  expect(names).toEqual(expect.arrayContaining(Object.keys(NEEDED[part])));
});
