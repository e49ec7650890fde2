import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseSigningSecrets } from '../../../support/credentials.ts';
import { type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const FINGERPRINT = '5036e143';
const URL_A = { SVC_WEBHOOKS_URL: 'https://Rec.example:443/base//v1/' };
const NORMAL_A = 'https://rec.example/base';
const URL_B = { SVC_WEBHOOKS_URL: 'https://other.example' };
const NOW = Date.UTC(2026, 0, 1);

let home = '';
beforeEach(() => {
  home = temporaryHome();
});

const secrets = async (args: readonly string[], options: RunOptions = {}) => {
  const run = await svc(['webhooks', 'secrets', ...args], { home, now: () => NOW, ...options });
  if (args[0] !== 'export') expect(run.stdout + run.stderr + run.asked).not.toMatch(/whsec_\w/);
  return run;
};
const file = () => join(home, 'config', 'webhook-secrets.json');
const stored = () => parseSigningSecrets(readFileSync(file(), 'utf8'));

describe('svc webhooks secrets import', () => {
  it('stores a secret for the service in use, or for none', async () => {
    const run = await secrets(['import', 'ep_1', '-o', 'json'], { stdin: `${SECRET}\n`, env: URL_A });
    const shown = { endpoint_id: 'ep_1', base_url: NORMAL_A, fingerprint: FINGERPRINT };
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toEqual({ ...shown, stored_at: '2026-01-01T00:00:00.000Z' });
    await secrets(['import', 'ep_2'], { stdin: SECRET });
    expect(stored()).toEqual([
      { base_url: NORMAL_A, endpoint_id: 'ep_1', secret: SECRET, stored_at: '2026-01-01T00:00:00.000Z' },
      { base_url: null, endpoint_id: 'ep_2', secret: SECRET, stored_at: '2026-01-01T00:00:00.000Z' },
    ]);
  });

  it('reads a file, a variable, or hidden input', async () => {
    const key = join(temporaryHome(), 'key');
    writeFileSync(key, `${SECRET}\r\n`, { mode: 0o600 });
    await secrets(['import', 'ep_1', '--secret-file', key]);
    await secrets(['import', 'ep_2', '--secret-env', 'KEY'], { env: { KEY: 'whsec_env' } });
    const typed = await secrets(['import', 'ep_3'], { terminal: 80, answers: ['whsec_typed'] });
    expect(typed).toMatchObject({ code: 0, asked: ['Signing secret:'] });
    expect(stored().map(({ secret }) => secret)).toEqual([SECRET, 'whsec_env', 'whsec_typed']);
  });

  it('refuses what is no secret, and stores nothing', async () => {
    for (const [stdin, why] of [
      ['', 'is empty'],
      ['whsec_', 'only the prefix'],
      ['whsec_a b', 'white space'],
      [`${SECRET}\n${SECRET}\n`, 'contains white space'],
      [Buffer.from([0x77, 0xff]), 'not UTF-8'],
    ] as const) {
      const run = await secrets(['import', 'ep_1'], { stdin });
      expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(why) });
      expect(() => stored()).toThrow('ENOENT');
    }
  });

  it('refuses a wrong id, and several secrets', async () => {
    for (const args of [
      ['import', ''],
      ['import', 'ep 1'],
      ['import', 'ep_\u202e1'],
      ['import', 'ep_1', '--secret-env', 'A', '--secret-env', 'B'],
      ['import', 'ep_1', '--secret-env', 'C'],
    ]) {
      const run = await secrets(args, { stdin: SECRET, env: { A: 'whsec_a', B: 'whsec_b' } });
      expect(run, args.join(' ')).toMatchObject({ code: 2, stdout: '' });
    }
  });

  it('stores the same secret again without a question', async () => {
    await secrets(['import', 'ep_1'], { stdin: SECRET });
    expect(await secrets(['import', 'ep_1'], { stdin: SECRET })).toMatchObject({ code: 0, stderr: '' });
  });

  it('replaces another secret only after a confirmation', async () => {
    await secrets(['import', 'ep_1'], { stdin: 'whsec_old' });
    const unasked = await secrets(['import', 'ep_1'], { stdin: SECRET });
    expect(unasked).toMatchObject({ code: 2, stdout: '' });
    expect(unasked.stderr).toContain('--yes');
    const no = await secrets(['import', 'ep_1'], { terminal: 80, answers: [SECRET], answer: false });
    expect(no.code).toBe(2);
    expect(no.asked[1]).toMatch(/^Replace secret [0-9a-f]{8} of ep_1 \(no service\) with 5036e143\?$/);
    expect(stored().map(({ secret }) => secret)).toEqual(['whsec_old']);
    expect(await secrets(['import', 'ep_1', '--yes'], { stdin: SECRET })).toMatchObject({ code: 0 });
    expect(stored().map(({ secret }) => secret)).toEqual([SECRET]);
  });

  it('changes nothing in a dry run', async () => {
    const run = await secrets(['import', 'ep_1', '--dry-run'], { stdin: SECRET });
    expect(run).toMatchObject({ code: 0, stderr: 'nothing was changed\n' });
    expect(run.stdout).toContain(FINGERPRINT);
    expect(() => stored()).toThrow('ENOENT');
  });

  it('sets a broken file aside, and says so', async () => {
    mkdirSync(join(home, 'config'), { mode: 0o700 });
    writeFileSync(file(), '{', { mode: 0o600 });
    expect(await secrets(['list'])).toMatchObject({ code: 2, stdout: '' });
    const run = await secrets(['import', 'ep_1'], { stdin: SECRET });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('svc moved it to');
    expect(readdirSync(join(home, 'config'))).toHaveLength(2);
  });
});

describe('the other commands of svc webhooks secrets', () => {
  beforeEach(async () => {
    await secrets(['import', 'ep_1'], { stdin: SECRET, env: URL_A });
    await secrets(['import', 'ep_1'], { stdin: 'whsec_b', env: URL_B });
    await secrets(['import', 'ep_2'], { stdin: 'whsec_2' });
  });

  it('list the secrets by their fingerprints', async () => {
    const { stdout } = await secrets(['list', '-o', 'json']);
    expect(JSON.parse(stdout).map((row: object) => Object.keys(row))).toEqual(
      Array(3).fill(['endpoint_id', 'base_url', 'fingerprint', 'stored_at']),
    );
    expect((await secrets(['list', '-q'])).stdout).toBe('ep_1\nep_1\nep_2\n');
    expect((await secrets(['list'])).stdout).toContain(
      `ep_1      ${FINGERPRINT}     2026-01-01T00:00:00.000Z  ${NORMAL_A}\n`,
    );
  });

  it('export the exact secret, but not to a terminal without --force', async () => {
    expect(await secrets(['export', 'ep_1'], { env: URL_A })).toMatchObject({
      code: 0,
      stdout: `${SECRET}\n`,
      stderr: '',
    });
    expect((await secrets(['export', 'ep_1'], { env: URL_B })).stdout).toBe('whsec_b\n');
    expect(JSON.parse((await secrets(['export', 'ep_2', '-o', 'json'])).stdout)).toBe('whsec_2');
    const screen = await secrets(['export', 'ep_2'], { terminal: 80 });
    expect(screen).toMatchObject({ code: 2, stdout: '' });
    expect(screen.stderr).toContain('--force');
    expect(screen.stderr).not.toContain('whsec_2');
    expect((await secrets(['export', 'ep_2', '--force'], { terminal: 80 })).stdout).toBe('whsec_2\n');
  });

  it('require the service if several have the endpoint', async () => {
    for (const env of [{}, { SVC_WEBHOOKS_URL: 'https://third.example' }]) {
      for (const verb of ['export', 'delete']) {
        const run = await secrets([verb, 'ep_1'], { env });
        expect(run).toMatchObject({ code: 2, stdout: '' });
        expect(run.stderr).toContain(`${NORMAL_A}, https://other.example`);
        expect(run.stderr).toContain('SVC_WEBHOOKS_URL');
      }
    }
  });

  it('ask before they delete, and report a missing secret', async () => {
    expect(await secrets(['delete', 'ep_2'])).toMatchObject({ code: 2, stdout: '' });
    const no = await secrets(['delete', 'ep_2'], { terminal: 80, answer: false });
    expect(no.asked).toEqual([expect.stringMatching(/^Delete the secret [0-9a-f]{8} of ep_2 \(no service\)\?$/)]);
    expect(await secrets(['delete', 'ep_2', '--dry-run'])).toMatchObject({ code: 0, stderr: 'nothing was changed\n' });
    for (const args of [
      ['export', 'ep_9'],
      ['delete', 'ep_9', '--yes'],
    ])
      expect(await secrets(args)).toMatchObject({ code: 5, stdout: '' });
    expect(stored()).toHaveLength(3);
    expect(await secrets(['delete', 'ep_1', '--yes'], { env: URL_B })).toMatchObject({ code: 0 });
    expect(stored().map(({ secret }) => secret)).toEqual([SECRET, 'whsec_2']);
  });

  it('provide the secret for --endpoint', async () => {
    const sign = (args: readonly string[], env = {}) =>
      svc(['webhooks', 'sign', '--as', 'signature', '--timestamp', '1767225600', ...args], { home, stdin: 'x', env });
    const direct = await sign([], { SVC_WEBHOOK_SECRET: SECRET });
    expect(direct.code).toBe(0);
    expect(await sign(['--endpoint', 'ep_1'], URL_A)).toEqual(direct);
    // Named secrets come before that of the environment.
    const named = await sign(['--endpoint', 'ep_2'], { SVC_WEBHOOK_SECRET: SECRET });
    expect(named.stdout).not.toBe(direct.stdout);
    expect(await sign(['--endpoint', 'ep_1'])).toMatchObject({ code: 2, stdout: '' });
    expect((await sign(['--endpoint', 'ep_9'])).stderr).toContain('no secret is stored for endpoint "ep_9"');
    expect(await sign(['--endpoint', 'ep_2', '--endpoint', 'ep_1'], URL_A)).toMatchObject({ code: 2, stdout: '' });
  });
});
