/** Logins with refresh tokens that work once, in each store: commands that are killed at random moments, and twenty processes at once. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Paths } from '../../src/context.ts';
import { startRecordingsEmulator } from '../../src/sandbox/webhooks/server.ts';
import { clientKey, credentialsFile, loginKey } from '../../src/store/credentials.ts';
import { withSecrets } from '../../src/store/secret-store.ts';
import { HOME, startSvc, svc } from '../e2e/binary.ts';
import { login as signIn } from '../features/oauth/commands/signing-in.ts';
import { testHelper } from '../support/credential-helper.ts';
import { type Credentials, parseCredentials } from '../support/credentials.ts';
import { lockContext } from '../support/folder.ts';
import { missingForPass, passwordStore } from '../support/pass.ts';
import { keep, login, rotatingServer } from '../support/rotating-server.ts';
import { killedAt, stepsOf } from './file-steps.ts';
import { counted, scaled } from './scale.ts';

interface Store {
  /** The setting. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** The addresses of the entries. */
  entries(): readonly string[];
  [Symbol.dispose](): void;
}

it('ten processes succeed with tokens that live for a second and refreshes that take longer', async ({ task }) => {
  for (let round = 0; round < scaled(5); round++) {
    await using server = await rotatingServer({ latency: 1500, lifetime: 1 });
    const config = mkdtempSync(join(HOME, 'login-'));
    keep(config, login(server.url, -10));
    const env = { SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: server.url };
    const commands = Array.from({ length: 10 }, (_, index) =>
      index % 2 === 0 ? ['oauth', 'token'] : ['webhooks', 'list'],
    );
    const runs = await Promise.all(commands.map((argv) => svc(argv, { env })));
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, expect.any(String)]));
    expect(server.alive).toBe(true);
    counted(task, runs.length);
  }
});

const STORES: Readonly<Record<string, { readonly kills: number; readonly lacks?: readonly string[]; open(): Store }>> =
  {
    'the file': { kills: 600, open: () => ({ name: 'file', env: {}, entries: () => [], [Symbol.dispose]() {} }) },
    'a helper with small entries': {
      kills: 300,
      open() {
        const helper = testHelper(mkdtempSync(join(HOME, 'helper-')));
        return { name: 'small', env: helper.env, entries: () => helper.names(), [Symbol.dispose]() {} };
      },
    },
    'docker-credential-pass': {
      kills: 100,
      lacks: missingForPass,
      open: () => ({ name: 'pass', ...passwordStore() }),
    },
  };

/** It may have ended just now. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has
  }
}

function credentialsIn(path: string): Credentials | undefined {
  try {
    return parseCredentials(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The entries of logins. */
function loginsIn(store: Store): readonly string[] {
  return store.entries().filter((entry) => !entry.includes('check/'));
}

/** As `svc config set credentials.helper` does it, without a process. */
function choose(config: string, name: string): void {
  const settings = name === 'file' ? {} : { 'credentials.helper': name };
  keep(config, { profiles: { default: settings } }, 'settings.json');
}

/** Puts logins where svc puts new ones: into the file, or into the helper. */
async function storeIn({ name, env }: Store, config: string, document: Credentials): Promise<void> {
  choose(config, name);
  if (name === 'file') {
    keep(config, document);
    return;
  }
  const context = { ...lockContext, env, settings: { get: () => name } };
  await withSecrets(credentialsFile({ config } as Paths), context, async (open) => {
    for (const client of document.clients) await open.set(clientKey(client), client);
    for (const one of document.credentials) await open.set(loginKey(one), one);
  });
}

/** A login at a service of its own, in the store. */
async function loginIn(store: Store, left: number) {
  const server = await rotatingServer();
  const config = mkdtempSync(join(HOME, 'login-'));
  const env = { ...store.env, SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: server.url };
  const oauth = (command: string, more = {}) => svc(['oauth', command], { env: { ...env, ...more } });
  await storeIn(store, config, login(server.url, left));
  const before = readFileSync(join(config, 'credentials.json'), 'utf8');
  return { server, config, oauth, before, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

for (const [title, { kills, lacks = [], open }] of Object.entries(STORES)) {
  describe.skipIf(lacks.length > 0)(`in ${title}`, () => {
    it('after a kill at any moment, the next command refreshes, or says to sign in again', async ({ task }) => {
      using store = open();
      const service = await startRecordingsEmulator({ now: Date.now, random: Math.random });
      const config = mkdtempSync(join(HOME, 'login-'));
      const env = { ...store.env, SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: service.url };
      const storeLogin = async (): Promise<void> => {
        const { home, code } = await signIn({ url: service.url });
        expect(code).toBe(0);
        await storeIn(
          store,
          config,
          credentialsIn(join(home, 'config', 'credentials.json')) ?? { clients: [], credentials: [] },
        );
      };
      await storeLogin();
      const began = performance.now();
      expect(await svc(['oauth', 'refresh'], { env })).toMatchObject({ code: 0 });
      const longest = (performance.now() - began) * 1.2;
      const figures = { kills: 0, lost: 0 };
      for (let round = 0; round < scaled(kills); round++) {
        // With all processes of its group, as a terminal or a build server does it.
        const running = startSvc(['oauth', 'refresh'], { env, detached: true });
        const timer = setTimeout(() => kill(-(running.child.pid ?? 0)), Math.random() * longest);
        const { signal } = await running.ended;
        clearTimeout(timer);
        if (signal === null) continue;
        figures.kills += 1;
        const next = await svc(['oauth', 'refresh'], { env });
        if (next.code !== 0) {
          figures.lost += 1;
          expect({ round, ...next }).toMatchObject({ code: 4, stderr: expect.stringContaining('sign in again with') });
          expect(await svc(['oauth', 'logout'], { env })).toMatchObject({ code: 0 });
          await storeLogin();
        }
        counted(task, 1);
      }
      task.meta.figures = `${title}: ${figures.lost} of ${figures.kills} lost`;
      const orphans = loginsIn(store).length - (store.name === 'file' ? 0 : 1);
      expect(orphans).toBeGreaterThanOrEqual(0);
      expect(orphans).toBeLessThanOrEqual(figures.kills);
      await service.close();
    });

    // All that a death can lose is what the service has sent and nobody has stored yet.
    it('no kill of the refresh itself loses a login that was stored', async ({ task }) => {
      using store = open();
      const figures = { safe: 0, lost: 0 };
      for (let round = 0; round < scaled(kills / 4); round++) {
        await using signedIn = await loginIn(store, 3600);
        const { server, config, oauth, before } = signedIn;
        server.meddle = ({ commit, answer }) => {
          const { pid } = JSON.parse(readFileSync(join(config, 'credentials.json.lock'), 'utf8'));
          answer(200, commit());
          setTimeout(() => kill(pid), Math.random() * 150);
        };
        await oauth('refresh');
        server.meddle = undefined;
        const isSafe = readFileSync(join(config, 'credentials.json'), 'utf8') !== before;
        figures[isSafe ? 'safe' : 'lost'] += 1;
        expect({ round, isSafe, ...(await oauth('refresh')) }).toMatchObject({ code: isSafe ? 0 : 4 });
        if (store.name !== 'file') expect(await oauth('logout')).toMatchObject({ code: 0 });
        // A killed refresh leaves the new entry or the old one at most.
        expect(loginsIn(store).length).toBeLessThanOrEqual(store.name === 'file' ? 0 : round + 1);
        counted(task, 1);
      }
      task.meta.figures = `${title}: of refreshes killed within 150 ms of the answer, ${figures.safe} safe and ${figures.lost} lost`;
    });

    it('a refresh that is killed around the step that replaces the file: the login is there, or lost', async ({
      task,
    }) => {
      using store = open();
      await using first = await loginIn(store, -10);
      const { points } = await stepsOf(first.config, undefined, async (steps) => {
        expect(await first.oauth('token', steps)).toMatchObject({ code: 0 });
      });
      expect(await first.oauth('logout')).toMatchObject({ code: 0 });
      const replaced = points.indexOf('after renameSync', points.indexOf('after fsyncSync'));
      let unnamed = 0;
      for (const at of [replaced - 1, replaced]) {
        await using signedIn = await loginIn(store, -10);
        const { server, config, oauth, before } = signedIn;
        expect(await oauth('token', killedAt(config, at + 1))).toMatchObject({ signal: 'SIGKILL' });
        expect(server.calls).toBe(1);
        const isSafe = at === replaced;
        expect(credentialsIn(join(config, 'credentials.json.new')) === undefined).toBe(isSafe);
        expect(readFileSync(join(config, 'credentials.json'), 'utf8') !== before).toBe(isSafe);
        expect({ at, ...(await oauth('token')) }).toMatchObject({ at, code: isSafe ? 0 : 4 });
        expect(readdirSync(config)).not.toContain('credentials.json.new');
        expect(await oauth('logout')).toMatchObject({ code: 0 });
        // The first kill has left the new entry, which nothing names yet, and the second one the old entry.
        unnamed += store.name === 'file' ? 0 : 1;
        expect(loginsIn(store).length).toBe(unnamed);
        counted(task, 1);
      }
    });

    it('twenty processes refresh once', async ({ task }) => {
      using store = open();
      await using server = await rotatingServer({ latency: 150 });
      const config = mkdtempSync(join(HOME, 'login-'));
      const env = { ...store.env, SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: server.url };
      for (let round = 1; round <= scaled(10); round++) {
        await storeIn(store, config, login(server.url, -10, { refresh_token: server.current }));
        const runs = await Promise.all(Array.from({ length: 20 }, () => svc(['oauth', 'token'], { env })));
        const printed = `at-${round}-abcdefghijkl\n`;
        expect(runs.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual(
          runs.map(() => [0, printed, '']),
        );
        expect({ round, calls: server.calls, alive: server.alive }).toEqual({ round, calls: round, alive: true });
        if (store.name !== 'file') {
          expect(readFileSync(join(config, 'credentials.json'), 'utf8')).not.toMatch(/[ar]t-\d+-abc/);
          expect(await svc(['oauth', 'logout'], { env })).toMatchObject({ code: 0 });
          expect(store.entries()).toEqual([]);
        }
        counted(task, runs.length);
      }
    });
  });
}
