/** Secrets by key: the contract of both places, the file on disk, and what a credential helper may do. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { SvcError } from '../../src/errors.ts';
import {
  chosenPlace,
  FILE,
  type LockedSecretStore,
  partsOfId,
  type SecretContext,
  type SecretKey,
  SecretStore,
  secretId,
  withSecrets,
} from '../../src/store/secret-store.ts';
import { type TestHelper, testHelper } from '../support/credential-helper.ts';
import { lockContext, testFolder } from '../support/folder.ts';
import { childProgram } from './child.ts';

const folder = testFolder();
const children = childProgram();
const path = (): string => join(folder.paths.config, 'secrets.json');
const names = (): readonly string[] => readdirSync(folder.paths.config).sort();

interface Login {
  readonly secret: string;
  readonly name?: string | undefined;
}
/** `more` is not in it, and is preserved like any unknown field. */
const schema: z.ZodMiniType<Login> = z.looseObject({
  secret: z.string().check(z.minLength(1, 'is empty')),
  name: z.optional(z.string()),
});
const keyOf = (name: string): SecretKey<Login> => ({
  id: secretId('login', name, 'https://h/x'),
  name: `the login ${name}`,
  remedy: 'sign in again',
  fields: {},
  schema,
});
const ANN = keyOf('ann');
const BOB = keyOf('bob');
const TOKEN = 'at-secret-0123456789';

let helper: TestHelper;
let warnings: string[];
beforeEach(() => {
  mkdirSync(folder.paths.config, { recursive: true, mode: 0o700 });
  helper = testHelper(folder.path);
  warnings = [];
});

const inPlace = (place: string, env: Readonly<Record<string, string>> = {}): SecretContext => ({
  ...lockContext,
  env: { ...helper.env, ...env },
  settings: { get: () => place },
  warn: (text) => warnings.push(text),
});
const file = () => ({ path: path(), remedy: 'sign in again' });
const read = (context = inPlace(FILE)): SecretStore => new SecretStore(file(), context);
const change = <T>(body: (store: LockedSecretStore) => Promise<T>, context = inPlace(FILE)): Promise<T> =>
  withSecrets(file(), context, body);
const write = (content: unknown, mode = 0o600): void => {
  writeFileSync(path(), typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(path(), mode);
};

describe.each([FILE, 'small'])('a secret store whose place is %s', (place) => {
  const context = (): SecretContext => inPlace(place);
  const set = (key: SecretKey<Login>, value: Login): Promise<void> =>
    change((store) => store.set(key, value), context());

  it('returns what was set, also at once, with fields that svc does not know', async () => {
    const empty = read(context());
    expect([await empty.get(ANN), await empty.find(ANN), empty.list()]).toEqual([undefined, undefined, []]);
    expect(chosenPlace(context())).toBe(place);
    const value = { secret: TOKEN, more: { ü: [1, null] } };
    const inside = await change(async (store) => {
      await store.set(ANN, value);
      return store.get(ANN);
    }, context());
    const store = read(context());
    expect([inside, await store.get(ANN), await store.find(ANN)]).toEqual([value, value, value]);
    expect(store.list()).toEqual([ANN.id]);
  });

  it('replaces one value and leaves the others', async () => {
    await set(ANN, { secret: TOKEN });
    await set(BOB, { secret: 'of-bob' });
    await set(ANN, { secret: 'new' });
    const store = read(context());
    expect([await store.get(ANN), await store.get(BOB)]).toEqual([{ secret: 'new' }, { secret: 'of-bob' }]);
    expect(readFileSync(path(), 'utf8') + helper.contents).not.toContain(TOKEN);
  });

  it('deletes one value, once', async () => {
    await set(ANN, { secret: TOKEN });
    await set(BOB, { secret: 'of-bob' });
    const deleted = await change(async (store) => [await store.delete(ANN), await store.delete(ANN)], context());
    expect(deleted).toEqual([true, false]);
    expect([await read(context()).get(ANN), read(context()).list()]).toEqual([undefined, [BOB.id]]);
    expect(helper.names().length).toBe(place === FILE ? 0 : 1);
  });

  it('does not overwrite what another process stored after the lock was lost, unless the caller allows it', async () => {
    await set(ANN, { secret: 'first' });
    for (const [mayReplace, left] of [
      [undefined, 'second'],
      [(current: Login | undefined) => current?.secret === 'third', 'second'],
      [(current: Login | undefined) => current?.secret === 'second', 'new'],
    ] as const) {
      const outcome = await change(async (store) => {
        rmSync(`${path()}.lock`);
        await set(ANN, { secret: 'second' });
        return store.set(ANN, { secret: 'new' }, mayReplace).catch((error: unknown) => error);
      }, context());
      if (left === 'new') expect(outcome).toBeUndefined();
      else expect(outcome).toMatchObject({ message: 'another process changed the login ann in the meantime' });
      expect(await read(context()).get(ANN)).toEqual({ secret: left });
      expect(helper.names().length).toBe(place === FILE ? 0 : 1);
      await set(ANN, { secret: 'first' });
    }
  });
});

it('an id is made of any texts, and gives them back', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (parts) => {
      expect(partsOfId(secretId(...parts))).toEqual(parts);
    }),
  );
  expect(partsOfId('login/%E0%A4%A')).toEqual([]);
});

describe('the file', () => {
  const save = (token = 'new') => change((store) => store.set(ANN, { secret: token }));
  const set = (key: SecretKey<Login>, value: Login): Promise<void> => change((store) => store.set(key, value));

  it('names an entry that cannot be used, and still has the others', async () => {
    await set(BOB, { secret: 'of-bob' });
    const { secrets } = JSON.parse(readFileSync(path(), 'utf8'));
    for (const [entry, problem] of [
      [{ value: { secret: '' } }, 'secret is empty'],
      [{ value: { later: TOKEN } }, 'secret is missing'],
      [{ value: TOKEN }, ''],
      [7, ''],
    ] as const) {
      write({ version: 1, secrets: { ...secrets, [ANN.id]: entry } });
      const error = await read()
        .get(ANN)
        .catch((error: unknown) => error);
      expect(error).toMatchObject({
        code: 'file_unusable',
        message: expect.stringContaining(`the login ann cannot be used: ${problem}`),
        hint: 'sign in again',
      });
      expect((error as Error).message).not.toContain(TOKEN);
      expect(await read().get(BOB)).toEqual({ secret: 'of-bob' });
    }
    await set(ANN, { secret: 'new' });
    expect(await read().get(ANN)).toEqual({ secret: 'new' });
  });

  it('uses a secret for nothing else than what its key says', async () => {
    const bob = { ...BOB, fields: { name: 'bob' } };
    await set(bob, { secret: TOKEN, name: 'ann' });
    const error = await read()
      .get(bob)
      .catch((error: unknown) => error);
    expect(error).toMatchObject({
      code: 'file_unusable',
      message: expect.stringContaining('the login bob cannot be used: its name is not that of its key'),
      hint: 'sign in again',
    });
    await set(bob, { secret: TOKEN, name: 'bob' });
    expect(await read().get(bob)).toEqual({ secret: TOKEN, name: 'bob' });
  });

  it('leaves nothing but the file, which only its owner can read', async () => {
    const umask = process.umask(0);
    await set(ANN, { secret: TOKEN }).finally(() => process.umask(umask));
    expect(names()).toEqual(['secrets.json']);
    expect([statSync(path()).mode & 0o777, statSync(folder.paths.config).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(warnings).toEqual([]);
  });

  it('has both values after the lock was lost in between, and is never empty', async () => {
    await save(TOKEN);
    await change(async (first) => {
      await first.reserve();
      rmSync(`${path()}.lock`); // a person, or a program that cleans up
      const second = change(async (store) => {
        await store.reserve();
        await store.set(BOB, { secret: 'second' });
      });
      await first.set(ANN, { secret: 'first' });
      await second;
    });
    expect([await read().get(ANN), await read().get(BOB)]).toEqual([{ secret: 'first' }, { secret: 'second' }]);
    expect(names()).toEqual(['secrets.json']);
  });

  it('stays as it is on a full disk, which is noticed in advance', async () => {
    const credentials = join(folder.paths.config, 'credentials.json');
    writeFileSync(credentials, '{"version":1,"secrets":{}}', { mode: 0o600 });
    const { status, stderr } = await children.runWithFileLimit(16, ['credentials', folder.paths.config]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`cannot write ${credentials}: `) });
    expect(stderr).not.toContain('room is there');
    expect([readFileSync(credentials, 'utf8'), names()]).toEqual(['{"version":1,"secrets":{}}', ['credentials.json']]);
  });

  it('does not grow beyond what svc reads, and can be made smaller', async () => {
    const large = { secret: 'x'.repeat(600_000) };
    await change((store) => store.set(ANN, large));
    await expect(change((store) => store.set(BOB, large))).rejects.toMatchObject({
      message: expect.stringContaining('would be larger than 1 MiB'),
    });
    expect([read().list(), await read().get(ANN)]).toEqual([[ANN.id], large]);
    expect(await change((store) => store.delete(ANN))).toBe(true);
  });

  it('is written through a symbolic link, unless the link is dangling', async () => {
    const real = join(folder.path, 'elsewhere');
    writeFileSync(real, '{"version":1,"secrets":{}}', { mode: 0o600 });
    symlinkSync(real, path());
    await save();
    expect(lstatSync(path()).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('new');
    rmSync(real);
    await expect(save()).rejects.toMatchObject({ code: 'file_unusable' });
    expect(existsSync(real)).toBe(false);
  });

  it('loses what a process staged before it died', async () => {
    for (const staged of ['{"version":1,"secrets":{}}', '{"version":1,"sec', ' '.repeat(100)]) {
      await save();
      writeFileSync(`${path()}.new`, staged);
      // A reader needs no lock, and does not care.
      expect(await read().get(ANN)).toEqual({ secret: 'new' });
      await change(async () => {});
      expect([await read().get(ANN), names()]).toEqual([{ secret: 'new' }, ['secrets.json']]);
    }
  });

  it('is not written through a link that another user placed for the staged file', async () => {
    await save();
    const planted = join(folder.path, 'planted');
    writeFileSync(planted, 'mine');
    symlinkSync(planted, `${path()}.new`);
    await save('newer');
    expect([readFileSync(planted, 'utf8'), names()]).toEqual(['mine', ['secrets.json']]);
  });
});

describe('whichever step the disk refuses', () => {
  const steps = fileURLToPath(new URL('../hard/file-steps.cjs', import.meta.url));
  const credentials = (): string => join(folder.paths.config, 'credentials.json');

  /** Runs a change of an empty file as a process whose steps are counted, or of which one fails. */
  function run(place: string, more: NodeJS.ProcessEnv) {
    rmSync(folder.paths.config, { recursive: true, force: true });
    helper.clear();
    mkdirSync(folder.paths.config, { mode: 0o700 });
    writeFileSync(credentials(), '{"version":1,"secrets":{}}', { mode: 0o600 });
    const env = {
      ...process.env,
      ...helper.env,
      STORE: place,
      NODE_OPTIONS: `--require=${JSON.stringify(steps)}`,
      FILE_STEPS_ROOT: folder.paths.config,
      ...more,
    };
    return children.run(['credentials', folder.paths.config], { env });
  }

  async function stepsOf(place: string): Promise<readonly string[]> {
    const log = join(folder.path, 'log');
    await run(place, { FILE_STEPS_LOG: log });
    return JSON.parse(readFileSync(log, 'utf8')).steps;
  }

  const stored = (): readonly { readonly entry?: string }[] =>
    Object.values(JSON.parse(readFileSync(credentials(), 'utf8')).secrets);

  it('after space was reserved, the file has the new value', async () => {
    const STEPS = ['writeSync', 'ftruncateSync', 'fsyncSync', 'renameSync', 'fsyncSync'];
    const all = await stepsOf(FILE);
    const first = all.indexOf('writeSync', all.indexOf('fsyncSync')) + 1;
    const write = all.slice(first - 1).filter((step) => STEPS.includes(step));
    expect(write.slice(0, STEPS.length)).toEqual(STEPS);
    for (let at = first; at < all.length; at++) {
      // The whole write is tried once more.
      const { status } = await run(FILE, { FILE_STEPS_CODE: 'EIO', FILE_STEPS_FAIL: String(at) });
      const entries = stored().length;
      rmSync(`${credentials()}.lock`, { force: true }); // where that step was its removal
      expect({ step: all[at - 1], status, entries, names: names() }).toEqual({
        step: all[at - 1],
        status: 0,
        entries: 1,
        names: ['credentials.json'],
      });
    }
  });

  it('after a credential helper has the new entry, the file names it', async () => {
    const all = await stepsOf('small');
    for (let at = all.lastIndexOf('renameSync') + 1; at <= all.length; at++) {
      const { status } = await run('small', { FILE_STEPS_CODE: 'EIO', FILE_STEPS_FAIL: String(at) });
      const [{ entry = '' } = {}] = stored();
      expect({ step: all[at - 1], status, has: helper.has(entry) }).toEqual({
        step: all[at - 1],
        status: 0,
        has: true,
      });
    }
  });
});

const BROKEN = ['', '{"version":1,"secrets":{"a":"at-secret', '[]', '{"version":1,"secrets":[]}'];

describe('an unusable file', () => {
  it.each(BROKEN)('is an error in a read, and is moved aside by a change: %s', async (content) => {
    write(content);
    const error = await read()
      .get(ANN)
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'file_unusable', hint: expect.stringMatching(/restore it, or sign in again/) });
    expect(`${(error as SvcError).message}${(error as SvcError).hint}`).not.toContain('at-secret');
    await change((store) => store.set(ANN, { secret: 'new' }));
    expect(warnings).toEqual([expect.stringContaining('svc moved it to ')]);
    expect(await read().get(ANN)).toEqual({ secret: 'new' });
    const [aside = '', ...others] = names().filter((name) => name !== 'secrets.json');
    expect([others, aside]).toEqual([[], expect.stringMatching(/^secrets\.json\.corrupt-\d{8}T\d{9}Z$/)]);
    expect(readFileSync(join(folder.paths.config, aside), 'utf8')).toBe(content);
    expect(statSync(join(folder.paths.config, aside)).mode & 0o777).toBe(0o600);
  });

  it('stays three times, the newest ones', async () => {
    for (let round = 0; round < 5; round++) {
      write(`broken ${round}`);
      await change(async () => {}, { ...inPlace(FILE), now: () => Date.UTC(2026, 0, 1) + round * 1000 });
    }
    const aside = names().filter((name) => name.includes('corrupt'));
    expect(aside.map((name) => readFileSync(join(folder.paths.config, name), 'utf8'))).toEqual([
      'broken 2',
      'broken 3',
      'broken 4',
    ]);
  });

  it('of a later svc is never touched', async () => {
    write({ version: 2, anything: TOKEN });
    expect(() => read().list()).toThrow(expect.objectContaining({ message: expect.stringContaining('newer svc') }));
    await expect(change(async () => {})).rejects.toMatchObject({ code: 'file_unusable' });
    expect(JSON.parse(readFileSync(path(), 'utf8'))).toEqual({ version: 2, anything: TOKEN });
  });

  it('that others could read is closed, and a warning says so once', () => {
    for (const mode of [0o640, 0o604]) {
      warnings.length = 0;
      write({ version: 1, secrets: {} }, mode);
      read().list();
      read().list();
      expect(warnings).toEqual([`other users could read ${path()} (mode ${mode.toString(8)}); svc set it to 600`]);
      expect(statSync(path()).mode & 0o777).toBe(0o600);
    }
  });

  it('is neither read nor written in a folder that others may change', async () => {
    write({ version: 1, secrets: {} });
    for (const mode of [0o770, 0o707, 0o1777]) {
      chmodSync(folder.paths.config, mode);
      expect(() => read().list()).toThrow(expect.objectContaining({ hint: expect.stringContaining('chmod 700') }));
      await expect(change(async () => {})).rejects.toMatchObject({ code: 'file_unusable' });
    }
  });
});

describe('a credential helper', () => {
  const context = (fault?: string): SecretContext =>
    inPlace('small', fault === undefined ? {} : { HELPER_FAULT: fault });
  const save = (token: string, key = ANN) => change((store) => store.set(key, { secret: token }), context());

  it('has the secrets, a large one in several entries, and the file only their names', async () => {
    await save('a'.repeat(5000));
    expect(readFileSync(path(), 'utf8')).not.toContain('aaaa');
    expect(helper.names()).toEqual([1, 2, 3].map((part) => `login/ann/https-h-x/*/${part}`));
    await save('b'.repeat(20), BOB);
    expect(await change((store) => store.delete(ANN), context())).toBe(true);
    expect(helper.names()).toEqual(['login/bob/https-h-x/*']);
  });

  it('stores the new secret and returns it before the file names it, and erases the old one last', async () => {
    await save(TOKEN);
    const before = readFileSync(path(), 'utf8');
    helper.forget();
    await change(async (store) => {
      await store.reserve();
      await store.set(ANN, { secret: 'new' });
    }, context());
    // The check has three calls.
    expect(helper.calls).toEqual(['store', 'get', 'erase', 'store', 'get', 'erase']);
    expect([await read(context()).get(ANN), helper.names().length]).toEqual([{ secret: 'new' }, 1]);
    expect(readFileSync(path(), 'utf8')).not.toBe(before);
  });

  it('that cannot erase: the new secret counts, a warning says so, and the old entry stays', async () => {
    await save(TOKEN);
    const before = readFileSync(path(), 'utf8');
    await change((store) => store.set(ANN, { secret: 'new' }), context('fail erase'));
    expect(warnings).toEqual([
      expect.stringMatching(
        /an entry of the login ann that is not used is left in the credential helper.*key store is locked/,
      ),
    ]);
    expect([await read(context()).get(ANN), helper.names().length]).toEqual([{ secret: 'new' }, 2]);
    // As after the death of a process before it wrote the file.
    write(before);
    expect(await read(context()).get(ANN)).toEqual({ secret: TOKEN });
  });

  it('is asked again if another process replaced the entry since the file was read', async () => {
    await save(TOKEN);
    const old = readFileSync(path(), 'utf8');
    await save('new');
    const current = readFileSync(path(), 'utf8');
    write(old);
    // The helper answers for the old entry only when the file has the new one.
    const inFolder = (name: string) => join(folder.path, name);
    const script = readFileSync(inFolder('docker-credential-small'), 'utf8');
    const waiting = `: >${inFolder('asked')}; until [ -e ${inFolder('go')} ]; do sleep 0.01; done`;
    writeFileSync(
      inFolder('docker-credential-small'),
      script.replace('\n', () => `\n${waiting}\n`),
    );
    const reading = read(context()).get(ANN);
    while (!existsSync(inFolder('asked'))) await lockContext.sleep(1);
    write(current);
    writeFileSync(inFolder('go'), '');
    expect(await reading).toEqual({ secret: 'new' });
  });

  it('that has one entry for a host: a secret is never taken for another', async () => {
    const script = readFileSync(join(folder.path, 'docker-credential-small'), 'utf8');
    const byHost = script.replace(/\$\(printf[^)]*tr[^)]*\)/, 'one');
    expect(byHost).not.toBe(script);
    writeFileSync(join(folder.path, 'docker-credential-small'), byHost);
    await save(TOKEN);
    expect(await read(context()).get(ANN)).toEqual({ secret: TOKEN });
    await save('of-bob', BOB);
    await expect(read(context()).get(ANN)).rejects.toMatchObject({ exit: 4, hint: 'sign in again' });
  });

  it('that fails after it printed the secret: the error does not show it', async () => {
    await save(TOKEN);
    const program = join(folder.path, 'docker-credential-small');
    writeFileSync(program, readFileSync(program, 'utf8').replace('"$(cat "$at")" ;;', '"$(cat "$at")"; exit 1 ;;'));
    const error = await read(context())
      .get(ANN)
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ exit: 4, message: 'the credential helper small failed to read with exit status 1' });
  });

  /** The time of one that hangs is over as soon as it has been called. */
  const impatient = (fault: string): SecretContext => {
    if (!fault.startsWith('hang')) return context(fault);
    const sleep: SecretContext['sleep'] = async (ms, signal) => {
      if (ms < 15_000) return lockContext.sleep(ms, signal);
      const count = helper.calls.length;
      while (helper.calls.length === count) await lockContext.sleep(2, signal);
      if (helper.calls.at(-1) !== fault.slice('hang '.length)) await lockContext.sleep(ms, signal);
    };
    return { ...context(fault), sleep };
  };

  it.each([
    ['hang get', 'did not finish within 15 s', 'passphrase'],
    ['fail get', 'failed to read with exit status 1: the key store is locked', 'svc doctor'],
    ['lie get', 'printed no entry of the protocol', 'svc doctor'],
  ])('that fails (%s): exit 4, with the next step', async (fault, message, hint) => {
    await save(TOKEN);
    await expect(read(impatient(fault)).get(ANN)).rejects.toMatchObject({
      exit: 4,
      message: expect.stringContaining(`the credential helper small ${message}`),
      hint: expect.stringContaining(hint),
    });
  });

  it.each(['hang store', 'lie store'])('that cannot store (%s): the old secret stays', async (fault) => {
    await save(TOKEN);
    const before = readFileSync(path(), 'utf8');
    const set = change((store) => store.set(ANN, { secret: 'new' }), impatient(fault));
    await expect(set).rejects.toMatchObject({ exit: 4 });
    expect([readFileSync(path(), 'utf8'), names()]).toEqual([before, ['secrets.json']]);
    expect(await read(context()).get(ANN)).toEqual({ secret: TOKEN });
    // Found out before there is anything to lose.
    await expect(change((store) => store.reserve(), impatient(fault))).rejects.toMatchObject({ exit: 4 });
  });

  it('that is missing, or only in the working directory or another relative folder: exit 4', async () => {
    await save(TOKEN);
    for (const PATH of ['/nonexistent', '', '.', ':/nonexistent', '../bin']) {
      await expect(read(inPlace('small', { PATH })).get(ANN)).rejects.toMatchObject({
        exit: 4,
        message: 'the credential helper small is not available: docker-credential-small is not found',
        hint: expect.stringContaining('install docker-credential-small'),
      });
    }
  });

  it('that repeats the secret in its error: the error does not show it', async () => {
    writeFileSync(join(folder.path, 'docker-credential-small'), '#!/bin/sh\ncat\nexit 1\n');
    const error = await save(TOKEN).catch((error: unknown) => error);
    expect(error).toMatchObject({ exit: 4, message: expect.stringContaining('"Secret":"***"') });
  });

  it.each([
    [FILE, 'small', 'is in a file, and credentials.helper is small', 'svc config unset credentials.helper'],
    [
      'small',
      FILE,
      'is in the credential helper small, and credentials.helper is not set',
      'svc config set credentials.helper small',
    ],
    [
      'small',
      'pass',
      'is in the credential helper small, and credentials.helper is pass',
      'svc config set credentials.helper small',
    ],
  ])('a secret in %s is never used silently where %s is chosen', async (actual, chosen, message, undo) => {
    await change((store) => store.set(ANN, { secret: TOKEN }), inPlace(actual));
    const place = chosen === FILE ? { ...inPlace(FILE), settings: { get: () => undefined } } : inPlace(chosen);
    await expect(read(place).get(ANN)).rejects.toMatchObject({
      exit: 4,
      message: `the login ann ${message}`,
      hint: `sign in again, or: ${undo}`,
    });
    expect(await read(place).find(ANN)).toEqual({ secret: TOKEN });
    expect(await change((store) => store.delete(ANN), place)).toBe(true);
    expect([helper.names(), read(place).list()]).toEqual([[], []]);
  });
});
