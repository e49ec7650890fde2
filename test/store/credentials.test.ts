import { spawnSync } from 'node:child_process';
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
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import {
  type ClientRecord,
  type CredentialsDocument,
  credentialAddress,
  findClient,
  findCredential,
  NO_CREDENTIALS,
  type OAuthCredential,
  withClient,
  withCredential,
  withoutClient,
  withoutCredential,
} from '../../src/store/credentials.ts';
import { parseCredentials, readCredentials, withCredentials } from '../../src/store/credentials-file.ts';
import { nameOwner } from '../../src/store/lock.ts';
import { CorruptDocument } from '../../src/store/secret-file.ts';
import { childProgram } from './child.ts';
import { lockContext, testFolder } from './folder.ts';

const folder = testFolder();
const children = childProgram();
const file = () => join(folder.paths.config, 'credentials.json');
const SECRET = 'rt-secret-0123456789';

const LOGIN: OAuthCredential = {
  kind: 'oauth',
  profile: 'default',
  base_url: 'https://h',
  issuer: 'https://h',
  token_endpoint: 'https://h/oauth/token',
  client_id: 'c1',
  access_token: 'at-0123456789',
  obtained_at: 1_700_000_000,
  expires_at: 1_700_003_600,
  refresh_token: SECRET,
};
const CLIENT: ClientRecord = {
  issuer: 'https://h',
  client_id: 'c1',
  token_endpoint_auth_method: 'none',
  redirect_uris: ['http://127.0.0.1:8123/callback'],
  redirect_port: 8123,
  registered_at: 1_700_000_000,
};
const DOCUMENT: CredentialsDocument = { version: 1, gen: 1, clients: [CLIENT], credentials: [LOGIN] };

function put(content: string | object, path = file()): void {
  mkdirSync(folder.paths.config, { recursive: true, mode: 0o700 });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
}
const names = () => readdirSync(folder.paths.config).sort();
const read = () => readCredentials(folder.paths, lockContext);
const save = (change: (document: CredentialsDocument) => CredentialsDocument) =>
  withCredentials(folder.paths, lockContext, (open) => open.save(change(open.document)));

describe('the document', () => {
  it('has one credential per profile and address, one client per issuer and id', () => {
    const other = { ...LOGIN, profile: 'prod' };
    const two = withCredential(withCredential(DOCUMENT, other), { ...LOGIN, access_token: 'new' });
    expect(two.credentials.map(({ profile, access_token }) => [profile, access_token])).toEqual([
      ['prod', 'at-0123456789'],
      ['default', 'new'],
    ]);
    expect(findCredential(withoutCredential(two, other), other)).toBeUndefined();
    const clients = withClient(withClient(DOCUMENT, { ...CLIENT, client_name: 'n' }), {
      ...CLIENT,
      issuer: 'https://i',
    });
    expect(clients.clients.map(({ issuer, client_name }) => [issuer, client_name])).toEqual([
      ['https://h', 'n'],
      ['https://i', undefined],
    ]);
    expect(findClient(withoutClient(clients, CLIENT), CLIENT)).toBeUndefined();
  });

  it('distinguishes addresses by scheme, host, port and path', () => {
    const address = (text: string) => credentialAddress(new URL(text));
    expect(address('https://h/')).toBe('https://h');
    expect(address('https://h:443/x/')).toBe('https://h/x');
    const all = ['https://h', 'http://h', 'https://h:8443', 'https://h.', 'https://h/x', 'https://h.evil'].map(address);
    expect(new Set(all).size).toBe(all.length);
  });

  it.each([
    ['', 'not JSON'],
    ['{"version":1', 'not JSON'],
    ['[]', 'it is an array, not an object'],
    ['{}', 'version is missing'],
    [{ ...DOCUMENT, gen: '1' }, 'gen is a string, not a number'],
    [{ ...DOCUMENT, clients: {} }, 'clients is an object, not an array'],
    [{ ...DOCUMENT, credentials: [{ ...LOGIN, kind: 'other' }] }, 'credentials.0.kind is not a kind of svc'],
    [
      { ...DOCUMENT, credentials: [{ ...LOGIN, expires_at: '1' }] },
      'credentials.0.expires_at is a string, not a number',
    ],
    [{ ...DOCUMENT, clients: [CLIENT, { ...CLIENT, issuer: undefined }] }, 'clients.1.issuer is missing'],
    // It would become another header.
    [
      { ...DOCUMENT, credentials: [{ ...LOGIN, access_token: 'a\r\nx: y' }] },
      'credentials.0.access_token is not a token',
    ],
  ])('%j is corrupt', async (content, why) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await expect(parseCredentials(text)).rejects.toThrow(why);
  });

  it('is read or refused with any content, which no message repeats', async () => {
    const text = JSON.stringify(DOCUMENT);
    const cut = fc.tuple(fc.nat(text.length), fc.nat(text.length), fc.string()).map(([from, to, middle]) => {
      return text.slice(0, from) + middle + text.slice(to);
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(cut, fc.json(), fc.string()), async (mutated) => {
        try {
          const document = await parseCredentials(mutated);
          expect(Array.isArray(document.credentials)).toBe(true);
        } catch (error) {
          expect([CorruptDocument, SvcError]).toContain((error as Error).constructor);
          expect((error as Error).message).not.toMatch(/secret|at-0/);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('writing', () => {
  it('makes a file of mode 0600 in a folder of mode 0700, whatever the umask', async () => {
    const umask = process.umask(0);
    await save(() => DOCUMENT).finally(() => process.umask(umask));
    expect([statSync(file()).mode & 0o777, statSync(folder.paths.config).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(names()).toEqual(['credentials.json']);
    expect((await read()).document).toEqual(DOCUMENT);
  });

  it('preserves unknown fields, and counts writes', async () => {
    const unknown = { ...DOCUMENT, gen: 7, extra: { a: [1] }, credentials: [{ ...LOGIN, later_field: { b: 2 } }] };
    put(unknown);
    await save((document) => withClient(document, CLIENT));
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ ...unknown, gen: 8 });
  });

  it('waits for a process that sends a request, which may take most of a minute', async () => {
    put(DOCUMENT);
    const began = Date.now();
    let now = began;
    const free = `${file()}.lock`;
    writeFileSync(free, JSON.stringify(nameOwner(process)));
    const sleep = async (ms: number) => {
      now += ms;
      if (now - began > 55_000) rmSync(free, { force: true });
    };
    const waiting = { ...lockContext, now: () => now, sleep };
    expect(await withCredentials(folder.paths, waiting, () => 'mine')).toBe('mine');
    expect(now - began).toBeGreaterThan(55_000);
  });

  it('reserves space in advance, and releases it', async () => {
    put(DOCUMENT);
    await withCredentials(folder.paths, lockContext, async (open) => {
      await open.reserve();
      expect(statSync(`${file()}.new`).size).toBeGreaterThan(64 * 1024);
      expect(statSync(`${file()}.new`).mode & 0o777).toBe(0o600);
    });
    expect(names()).toEqual(['credentials.json']);
    await withCredentials(folder.paths, lockContext, async (open) => {
      await open.reserve();
      await open.save(withCredential(open.document, { ...LOGIN, access_token: 'new' }));
    });
    expect(names()).toEqual(['credentials.json']);
    expect((await read()).document).toMatchObject({ gen: 2, credentials: [{ access_token: 'new' }] });
  });

  it('survives the loss of its lock during a refresh: both logins are stored, and the file is never empty', async () => {
    put(DOCUMENT);
    const lock = `${file()}.lock`;
    await withCredentials(folder.paths, lockContext, async (first) => {
      await first.reserve();
      rmSync(lock); // a person, or a program that cleans up
      await withCredentials(folder.paths, lockContext, async (second) => {
        await second.reserve();
        await first.save(withCredential(first.document, { ...LOGIN, access_token: 'first' }));
        expect((await read()).document).toMatchObject({ credentials: [{ access_token: 'first' }] });
        const latest = await second.reread();
        await second.save(withCredential(latest, { ...LOGIN, profile: 'other', access_token: 'second' }));
      });
    });
    const tokens = (await read()).document.credentials.map(({ access_token }) => access_token);
    expect([tokens.sort(), names()]).toEqual([['first', 'second'], ['credentials.json']]);
  });

  it('leaves the file unchanged on a full disk', async () => {
    put(DOCUMENT);
    const before = readFileSync(file(), 'utf8');
    const { status, stderr } = await children.runWithFileLimit(16, ['credentials', folder.paths.config]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`cannot write ${file()}: `) });
    expect(stderr).not.toContain('room is there');
    expect([readFileSync(file(), 'utf8'), names()]).toEqual([before, ['credentials.json']]);
  });

  it('loses nothing, whichever step the disk refuses afterwards', async () => {
    const STEPS = ['writeSync', 'ftruncateSync', 'fsyncSync', 'renameSync', 'openSync', 'fsyncSync'];
    const steps = fileURLToPath(new URL('../hard/file-steps.cjs', import.meta.url));
    const run = (more: NodeJS.ProcessEnv) => {
      rmSync(folder.paths.config, { recursive: true, force: true });
      put(DOCUMENT);
      const env = {
        ...process.env,
        NODE_OPTIONS: `--require=${JSON.stringify(steps)}`,
        FILE_STEPS_ROOT: folder.path,
        ...more,
      };
      return children.run(['credentials', folder.paths.config], { env });
    };
    const log = join(folder.path, 'log');
    await run({ FILE_STEPS_LOG: log });
    const all: string[] = JSON.parse(readFileSync(log, 'utf8')).steps;
    const given = all.indexOf('fsyncSync') + 1;
    expect(all.slice(given, given + STEPS.length)).toEqual(STEPS);
    for (let at = given + 1; at <= given + STEPS.length; at++) {
      const { status } = await run({ FILE_STEPS_CODE: 'EIO', FILE_STEPS_FAIL: String(at) });
      // The whole write is tried once more.
      expect({ at, status }).toEqual({ at, status: 0 });
      const { gen } = await withCredentials(folder.paths, lockContext, ({ document }) => document);
      expect({ at, gen, names: names() }).toEqual({ at, gen: 2, names: ['credentials.json'] });
    }
  });

  it('writes through a symbolic link, unless it is dangling', async () => {
    const real = join(folder.path, 'elsewhere');
    put(DOCUMENT, real);
    symlinkSync(real, file());
    await save((document) => withClient(document, { ...CLIENT, client_id: 'c2' }));
    expect(lstatSync(file()).isSymbolicLink()).toBe(true);
    expect((await parseCredentials(readFileSync(real, 'utf8'))).clients).toHaveLength(2);
    rmSync(real);
    await expect(save(() => DOCUMENT)).rejects.toMatchObject({ code: 'file_unusable' });
    expect(existsSync(real)).toBe(false);
  });
});

describe('after a crash', () => {
  const newer = { ...DOCUMENT, gen: 2, credentials: [{ ...LOGIN, access_token: 'at-newer' }] };
  const staged = () => `${file()}.new`;
  const take = () => withCredentials(folder.paths, lockContext, ({ document }) => document);

  it.each([
    ['a newer file', newer],
    ['half of one', JSON.stringify(newer).slice(0, -9)],
    ['reserved space', ' '.repeat(100)],
  ])('removes %s', async (_, content) => {
    put(DOCUMENT);
    put(content, staged());
    // A reader needs no lock, and does not care.
    expect((await read()).document).toEqual(DOCUMENT);
    expect([await take(), names()]).toEqual([DOCUMENT, ['credentials.json']]);
  });

  it('removes a link that another user may have placed, and not its target', async () => {
    put(DOCUMENT);
    const planted = join(folder.path, 'planted');
    put(newer, planted);
    symlinkSync(planted, staged());
    expect([await take(), names(), existsSync(planted)]).toEqual([DOCUMENT, ['credentials.json'], true]);
  });
});

describe('an unusable file', () => {
  it('is set aside if it is corrupt; the latest three are kept', async () => {
    for (let n = 1; n <= 5; n++) {
      put(`{"${SECRET}-${n}":`);
      const { document, warnings } = await read();
      expect(document).toEqual(NO_CREDENTIALS);
      expect(warnings).toEqual([
        expect.stringMatching(/could not be used: it is not JSON; svc moved it to .*corrupt-\d+T\d+Z/),
      ]);
      expect(warnings.join()).not.toContain(SECRET);
    }
    const texts = names().map((name) => readFileSync(join(folder.paths.config, name), 'utf8'));
    expect(texts).toEqual([3, 4, 5].map((n) => `{"${SECRET}-${n}":`));
  });

  it('stays if a later svc wrote it', async () => {
    put({ version: 2, anything: SECRET });
    await expect(read()).rejects.toMatchObject({
      code: 'file_unusable',
      message: expect.stringContaining('newer svc'),
    });
    await expect(save(() => DOCUMENT)).rejects.toMatchObject({ code: 'file_unusable' });
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ version: 2, anything: SECRET });
  });

  it('is refused when it is not a regular file, without waiting', async () => {
    mkdirSync(folder.paths.config, { mode: 0o700 });
    spawnSync('sh', ['-c', 'mkfifo "$0"', file()]);
    await expect(read()).rejects.toMatchObject({
      code: 'file_unusable',
      message: expect.stringContaining('not a regular file'),
    });
    rmSync(file());
    mkdirSync(file());
    await expect(read()).rejects.toMatchObject({ code: 'file_unusable' });
  });

  it('loses the permissions of others', async () => {
    put(DOCUMENT);
    chmodSync(file(), 0o644);
    const { document, warnings } = await read();
    expect(document).toEqual(DOCUMENT);
    expect(warnings).toEqual([expect.stringContaining('mode 644')]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect((await read()).warnings).toEqual([]);
  });

  it.each([0o777, 0o770, 0o1777])('is neither read nor written in a folder of mode %o', async (mode) => {
    put(DOCUMENT);
    chmodSync(folder.paths.config, mode);
    await expect(read()).rejects.toMatchObject({ code: 'file_unusable', hint: expect.stringContaining('chmod 700') });
    await expect(save(() => DOCUMENT)).rejects.toMatchObject({ code: 'file_unusable' });
  });
});

it('loses nothing of 4 processes that write at once', async () => {
  const writers = ['a', 'b', 'c', 'd'].map((name) => children.run(['add-clients', folder.paths.config, '10', name]));
  expect(await Promise.all(writers)).toEqual(writers.map(() => ({ status: 0, stderr: '' })));
  const { document } = await read();
  expect([document.gen, document.clients.length, names()]).toEqual([40, 40, ['credentials.json']]);
});
