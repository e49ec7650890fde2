/** A file with a secret that other users can read: svc says so once, with the command that closes it. */
import { chmodSync, chownSync, closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOW_S, PING, SECRET, SIGNATURE, T } from '../features/webhooks/vectors.ts';
import { Authority } from '../support/certificates.ts';
import { answer, type FaultServer, faultServer } from '../support/servers.ts';
import { svc, temporaryHome } from '../support/svc.ts';

const home = temporaryHome();
const GIVEN = ['--timestamp', T, '--signature', SIGNATURE];

function file(name: string, content: string | Buffer, mode: number): string {
  const path = join(home, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const ping = file('ping.json', PING, 0o644);
const verify = (...args: string[]) =>
  svc(['webhooks', 'verify', ping, ...GIVEN, ...args], { now: () => NOW_S * 1000, env: {} });
const warning = (path: string, word = path) =>
  `other users can read ${path}, which holds a secret: chmod 600 ${word}\n`;

let service: FaultServer;
beforeAll(async () => {
  service = await faultServer((socket) => socket.write(answer(200, '[]')));
});
afterAll(() => service.close());
const list = (...args: string[]) => svc(['alerts', 'list', '--base-url', service.url, '-o', 'id', ...args]);

describe.skipIf(process.platform === 'win32')('the warning about a file that other users can read', () => {
  it('names --secret-file once', async () => {
    for (const mode of [0o640, 0o604]) {
      const path = file(`key of mode ${mode}`, SECRET, mode);
      const run = await verify('--secret-file', path, '--secret-file', path, '-q');
      expect(run).toMatchObject({ code: 0, stderr: warning(path, `'${path}'`) });
    }
  });

  it('names --header-file', async () => {
    const path = file('headers', 'X-Gate: secret-0123456789\n', 0o644);
    expect(await list('--header-file', path, '--header-file', path)).toMatchObject({ code: 0, stderr: warning(path) });
  });

  it('names the file of --key, and a --cert that holds the key as well', async () => {
    const authority = new Authority();
    const { cert, key } = authority.sign('DNS:localhost');
    authority.remove();
    const [certFile, keyFile] = [file('client.pem', cert, 0o644), file('client.key', key, 0o644)];
    const both = file('both.pem', `${cert}${key}`, 0o644);
    expect(await list('--cert', certFile, '--key', keyFile)).toMatchObject({ code: 0, stderr: warning(keyFile) });
    expect(await list('--cert', both)).toMatchObject({ code: 0, stderr: warning(both) });
  });

  it('names --client-secret-file', async () => {
    const path = file('client-secret', 'none', 0o644);
    const login = ['oauth', 'login', '--base-url', service.url, '--no-browser', '--paste', '--client-id', 'a'];
    expect((await svc([...login, '--client-secret-file', path])).stderr).toContain(warning(path));
  });

  it('is not printed before a failure in JSON, which is one line', async () => {
    const path = file('json', 'whsec_b3RoZXI=', 0o644);
    const { stderr } = await svc(['webhooks', 'sign', join(home, 'none'), '--secret-file', path, '-o', 'json']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { exit: 2 } });
  });

  it('is not printed for a closed file, nor for a descriptor', async () => {
    expect(await verify('--secret-file', file('own', SECRET, 0o400))).toMatchObject({ code: 0, stderr: '' });
    const fd = openSync(file('opened', SECRET, 0o644), 'r');
    try {
      expect(await verify('--secret-file', `/dev/fd/${fd}`)).toMatchObject({ code: 0, stderr: '' });
    } finally {
      closeSync(fd);
    }
  });

  it.skipIf(process.getuid?.() !== 0)('is not printed for a file of another user', async () => {
    const path = file('mounted', SECRET, 0o444);
    chownSync(path, 54_321, 54_321);
    expect(await verify('--secret-file', path)).toMatchObject({ code: 0, stderr: '' });
  });
});
