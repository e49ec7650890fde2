/** Logins with refresh tokens that work once, in each store: commands that are killed at random moments, and twenty processes at once. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startRecordingsEmulator } from '../../src/sandbox/webhooks/server.ts';
import { HOME, startSvc, svc } from '../e2e/binary.ts';
import { keep, login, rotatingServer } from '../features/oauth/commands/rotating-server.ts';
import { login as signIn } from '../features/oauth/commands/signing-in.ts';
import { testHelper } from '../support/credential-helper.ts';
import { missingForPass, passwordStore } from '../support/pass.ts';
import { counted, scaled } from './scale.ts';

interface Store {
  /** The setting. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** The addresses of the entries. */
  entries(): readonly string[];
  [Symbol.dispose](): void;
}

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

/** Resolves once no process has the lock: a refresh goes on where its command has ended. */
async function unlocked(config: string): Promise<void> {
  while (readdirSync(config).includes('credentials.json.lock')) await new Promise((next) => setTimeout(next, 5));
}

/** It may have ended just now. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has
  }
}

function isWhole(path: string): boolean {
  try {
    JSON.parse(readFileSync(path, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

for (const [title, { kills, lacks = [], open }] of Object.entries(STORES)) {
  describe.skipIf(lacks.length > 0)(`in ${title}`, () => {
    it('no kill of a command loses a login that the service honours', async ({ task }) => {
      using store = open();
      const service = await startRecordingsEmulator({ now: Date.now, random: Math.random, autoApprove: true });
      const { home, code } = await signIn({ url: service.url });
      expect(code).toBe(0);
      const config = join(home, 'config');
      const env = { ...store.env, SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: service.url };
      if (store.name !== 'file') {
        expect(await svc(['config', 'set', 'credentials.helper', store.name], { env })).toMatchObject({ code: 0 });
        expect(await svc(['oauth', 'move', '--to', 'helper'], { env })).toMatchObject({ code: 0 });
      }
      const began = performance.now();
      expect(await svc(['oauth', 'refresh'], { env })).toMatchObject({ code: 0 });
      const longest = (performance.now() - began) * 1.2;
      const figures = { kills: 0, midway: 0, lost: 0 };
      const accessOf = () => readFileSync(join(config, 'credentials.json'), 'utf8');
      for (let round = 0; round < scaled(kills); round++) {
        const before = accessOf();
        // With all processes of its group, as a terminal or a build server does it.
        const running = startSvc(['oauth', 'refresh'], { env, detached: true });
        const timer = setTimeout(() => kill(-(running.child.pid ?? 0)), Math.random() * longest);
        const { signal } = await running.ended;
        clearTimeout(timer);
        if (signal === null) continue;
        figures.kills += 1;
        await unlocked(config);
        if (accessOf() !== before) figures.midway += 1;
        const next = await svc(['oauth', 'refresh'], { env });
        if (next.code !== 0) figures.lost += 1;
        expect({ round, ...next }).toMatchObject({ code: 0 });
        counted(task, 1);
      }
      task.meta.figures = `${title}: ${figures.lost} of ${figures.kills} lost, ${figures.midway} finished after the kill`;
      await unlocked(config);
      expect(store.entries().filter((entry) => !entry.includes('check/')).length).toBe(store.name === 'file' ? 0 : 1);
      await service.close();
    });

    // All that a death can lose is what the service has sent and nobody has written yet.
    it('no kill of the refresh itself loses a login that was staged', async ({ task }) => {
      using store = open();
      const figures = { safe: 0, lost: 0 };
      for (let round = 0; round < scaled(kills / 4); round++) {
        await using server = await rotatingServer();
        const config = mkdtempSync(join(HOME, 'login-'));
        const env = { ...store.env, SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: server.url };
        keep(config, login(server.url, 3600));
        await svc(['config', 'set', 'credentials.helper', store.name], { env });
        if (store.name !== 'file') await svc(['oauth', 'move', '--to', 'helper'], { env });
        const before = readFileSync(join(config, 'credentials.json'), 'utf8');
        server.meddle = ({ commit, answer }) => {
          const { pid } = JSON.parse(readFileSync(join(config, 'credentials.json.lock'), 'utf8'));
          answer(200, commit());
          setTimeout(() => kill(pid), Math.random() * 150);
        };
        await svc(['oauth', 'refresh'], { env });
        server.meddle = undefined;
        const isSafe =
          isWhole(join(config, 'credentials.json.new')) ||
          before !== readFileSync(join(config, 'credentials.json'), 'utf8');
        figures[isSafe ? 'safe' : 'lost'] += 1;
        const next = await svc(['oauth', 'refresh'], { env });
        expect({ round, isSafe, ...next }).toMatchObject({ code: isSafe ? 0 : 4 });
        if (isSafe && store.name !== 'file') {
          expect(await svc(['oauth', 'logout'], { env })).toMatchObject({ code: 0 });
        }
        counted(task, 1);
      }
      task.meta.figures = `${title}: of refreshes killed within 150 ms of the answer, ${figures.safe} safe and ${figures.lost} lost`;
    });

    it.skipIf(title === 'the file')('no kill of a move loses a secret, and the next one finishes', async ({ task }) => {
      using store = open();
      const config = mkdtempSync(join(HOME, 'login-'));
      const env = { ...store.env, SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: 'http://127.0.0.1:9' };
      keep(config, login(env.SVC_WEBHOOKS_URL, 3600));
      const [refresh, secret] = ['rt-0-abcdefghijkl', 'whsec_0123456789abcdef'];
      const imported = await svc(['webhooks', 'secrets', 'import', 'ep_1'], { env, input: secret });
      expect(imported).toMatchObject({ code: 0 });
      const setting = (...args: string[]) => svc(['config', ...args], { env });
      const moving = (to: string) => startSvc(['oauth', 'move', '--to', to], { env, detached: true });
      let longest = 400;
      for (let round = 0; round < scaled(kills / 2); round++) {
        const to = round % 2 === 0 ? 'helper' : 'file';
        await setting('set', 'credentials.helper', store.name);
        const began = performance.now();
        const running = moving(to);
        const timer = setTimeout(() => kill(-(running.child.pid ?? 0)), Math.random() * longest);
        const { signal } = await running.ended;
        clearTimeout(timer);
        if (signal === null) longest = (performance.now() - began) * 1.2;
        expect({ round, ...(await moving(to).ended) }).toMatchObject({
          code: 0,
          stderr: expect.not.stringContaining('lost'),
        });
        if (to === 'file') await setting('unset', 'credentials.helper');
        expect({ round, ...(await svc(['oauth', 'token'], { env })) }).toMatchObject({ stdout: 'at-0-abcdefghijkl\n' });
        const exported = await svc(['webhooks', 'secrets', 'export', 'ep_1'], { env });
        expect({ round, ...exported }).toMatchObject({ stdout: `${secret}\n` });
        const text = readFileSync(join(config, 'credentials.json'), 'utf8');
        expect({ round, inFile: text.includes(refresh), entries: store.entries().length }).toEqual({
          round,
          inFile: to === 'file',
          entries: to === 'file' ? 0 : 2,
        });
        counted(task, 1);
      }
    });

    it('twenty processes refresh once', async ({ task }) => {
      using store = open();
      await using server = await rotatingServer({ latency: 150 });
      const config = mkdtempSync(join(HOME, 'login-'));
      const env = { ...store.env, SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: server.url };
      for (let round = 1; round <= scaled(10); round++) {
        keep(config, { profiles: { default: {} } }, 'settings.json');
        keep(config, login(server.url, -10, { refresh_token: server.current }));
        if (store.name !== 'file') {
          expect(await svc(['config', 'set', 'credentials.helper', store.name], { env })).toMatchObject({ code: 0 });
          expect(await svc(['oauth', 'move', '--to', 'helper'], { env })).toMatchObject({ code: 0 });
        }
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
