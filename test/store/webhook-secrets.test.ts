import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import {
  changeWebhookSecrets,
  readWebhookSecrets,
  type StoredSecret,
  webhookSecretsPath,
} from '../../src/store/webhook-secrets.ts';
import { childProgram } from './child.ts';
import { lockContext, testFolder } from './folder.ts';

const folder = testFolder();
const children = childProgram();
const path = () => webhookSecretsPath(folder.paths);

const ONE: StoredSecret = {
  base_url: 'https://rec.example',
  endpoint_id: 'ep_1',
  secret: 'whsec_first',
  stored_at: '2026-01-01T00:00:00.000Z',
};

function write(content: unknown, mode = 0o600): void {
  mkdirSync(folder.paths.config, { recursive: true, mode: 0o700 });
  writeFileSync(path(), typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(path(), mode);
}

const add = (entry: StoredSecret) => changeWebhookSecrets(folder.paths, lockContext, (secrets) => [...secrets, entry]);
const read = () => readWebhookSecrets(folder.paths);

async function failure(run: () => Promise<unknown>): Promise<SvcError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof SvcError) return error;
  }
  throw new Error('no SvcError');
}

describe('the file', () => {
  it('has mode 0600 in a folder of mode 0700, and is the only file', async () => {
    expect(await read()).toEqual({ secrets: [], warnings: [] });
    expect(await add(ONE)).toEqual([]);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(statSync(folder.paths.config).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder.paths.config)).toEqual(['webhook-secrets.json']);
    expect(JSON.parse(readFileSync(path(), 'utf8'))).toEqual({ version: 1, secrets: [ONE] });
  });

  it('preserves unknown fields', async () => {
    const known = { version: 1, later: { a: 1 }, secrets: [{ ...ONE, note: 'x' }] };
    write(known);
    await add({ ...ONE, endpoint_id: 'ep_2', base_url: null });
    const { secrets, ...rest } = JSON.parse(readFileSync(path(), 'utf8'));
    expect(rest).toEqual({ version: 1, later: { a: 1 } });
    expect(secrets).toEqual([
      { ...ONE, note: 'x' },
      { ...ONE, endpoint_id: 'ep_2', base_url: null },
    ]);
  });

  it('is not written without a change', async () => {
    write({ version: 1, secrets: [ONE] });
    const { ino } = statSync(path());
    await changeWebhookSecrets(folder.paths, lockContext, (secrets) => secrets);
    expect(statSync(path()).ino).toBe(ino);
  });

  it('stays unchanged if the change is refused', async () => {
    write({ version: 1, secrets: [ONE] });
    const before = readFileSync(path(), 'utf8');
    const refuse = () => {
      throw new SvcError('guarded', 'no');
    };
    await expect(changeWebhookSecrets(folder.paths, lockContext, refuse)).rejects.toMatchObject({ code: 'guarded' });
    expect(readFileSync(path(), 'utf8')).toBe(before);
    expect(readdirSync(folder.paths.config)).toEqual(['webhook-secrets.json']);
  });

  it('loses nothing of 6 concurrent writers', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `n${index}`);
    const all = await Promise.all(names.map((name) => children.run(['secrets', folder.paths.config, '3', name])));
    expect(all.map(({ status, stderr }) => `${status}${stderr}`)).toEqual(names.map(() => '0'));
    const ids = (await read()).secrets.map(({ endpoint_id }) => endpoint_id);
    expect(ids.sort()).toEqual(names.flatMap((name) => [`${name}-0`, `${name}-1`, `${name}-2`]).sort());
    expect(readdirSync(folder.paths.config)).toEqual(['webhook-secrets.json']);
  });

  it('stays unchanged when the disk is full', async () => {
    write({ version: 1, secrets: [{ ...ONE, secret: 'x'.repeat(3000) }] });
    const before = readFileSync(path(), 'utf8');
    const { status, stderr } = await children.runWithFileLimit(2, ['secrets', folder.paths.config, '1', 'late']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`cannot write ${path()}: `) });
    expect(readFileSync(path(), 'utf8')).toBe(before);
    expect(readdirSync(folder.paths.config)).toEqual(['webhook-secrets.json']);
  });
});

const BROKEN = [
  '',
  '{"version":1,"secrets":[{"secret":"whsec_first"',
  '[]',
  '{}',
  '{"version":1}',
  '{"version":1,"secrets":{}}',
  '{"version":1,"secrets":[{"base_url":1,"endpoint_id":"e","secret":"whsec_first","stored_at":"x"}]}',
  '{"version":1,"secrets":[{"base_url":null,"endpoint_id":"e","secret":7,"stored_at":"x"}]}',
];

describe('a broken file', () => {
  it.each(BROKEN)('is an error in a read, and is set aside by a write: %s', async (content) => {
    write(content);
    const error = await failure(read);
    expect(error).toMatchObject({ code: 'file_unusable', exit: 2 });
    expect(`${error.message}${error.hint}${error.cause}`).not.toContain('whsec_first');
    expect(await readWebhookSecrets(folder.paths, { replacing: true })).toEqual({ secrets: [], warnings: [] });

    expect(await add(ONE)).toEqual([expect.stringContaining('svc moved it to ')]);
    expect((await read()).secrets).toEqual([ONE]);
    const [aside, ...others] = readdirSync(folder.paths.config).filter((name) => name !== 'webhook-secrets.json');
    expect(others).toEqual([]);
    expect(aside).toMatch(/^webhook-secrets\.json\.corrupt-\d{8}T\d{9}Z$/);
    expect(readFileSync(join(folder.paths.config, aside ?? ''), 'utf8')).toBe(content);
    expect(statSync(join(folder.paths.config, aside ?? '')).mode & 0o777).toBe(0o600);
  });

  it('is kept three times', async () => {
    let now = Date.UTC(2026, 0, 1);
    for (let round = 0; round < 5; round++) {
      write(`broken ${round}`);
      now += 1000;
      await changeWebhookSecrets(folder.paths, { ...lockContext, now: () => now }, () => [ONE]);
    }
    const aside = readdirSync(folder.paths.config).filter((name) => name.includes('corrupt'));
    expect(aside.map((name) => readFileSync(join(folder.paths.config, name), 'utf8'))).toEqual([
      'broken 2',
      'broken 3',
      'broken 4',
    ]);
  });

  it('of another version is never touched', async () => {
    const content = '{"version":2,"keys":[]}';
    write(content);
    expect((await failure(read)).message).toContain('version 2');
    await expect(add(ONE)).rejects.toMatchObject({ code: 'file_unusable' });
    expect(readFileSync(path(), 'utf8')).toBe(content);
    expect(readdirSync(folder.paths.config)).toEqual(['webhook-secrets.json']);
  });
});

describe('permissions', () => {
  it.each([0o644, 0o640, 0o604, 0o660])('of other users to a file are removed, mode %o', async (mode) => {
    write({ version: 1, secrets: [ONE] }, mode);
    expect((await read()).warnings).toEqual([
      `other users could read ${path()} (mode ${mode.toString(8)}); svc set it to 600`,
    ]);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(await read()).toMatchObject({ secrets: [ONE], warnings: [] });
  });

  it.each([0o770, 0o707, 0o777])('of other users to a folder are an error, mode %o', async (mode) => {
    write({ version: 1, secrets: [ONE] });
    chmodSync(folder.paths.config, mode);
    expect((await failure(read)).message).toContain(`mode ${mode.toString(8)}`);
    await expect(add(ONE)).rejects.toMatchObject({ code: 'file_unusable' });
  });

  it('does not wait for a pipe, and does not read a folder', async () => {
    mkdirSync(path(), { recursive: true });
    chmodSync(folder.paths.config, 0o700);
    expect((await failure(read)).message).toContain('not a regular file');
    rmSync(path(), { recursive: true });
    execFileSync('sh', ['-c', 'mkfifo "$0"', path()]);
    expect((await failure(read)).message).toContain('not a regular file');
  });

  it('writes through a symbolic link', async () => {
    const real = join(folder.path, 'elsewhere.json');
    mkdirSync(folder.paths.config, { mode: 0o700 });
    writeFileSync(real, JSON.stringify({ version: 1, secrets: [] }), { mode: 0o600 });
    symlinkSync(real, path());
    await add(ONE);
    expect(JSON.parse(readFileSync(real, 'utf8')).secrets).toEqual([ONE]);
  });
});
