import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { SvcError } from '../../src/errors.ts';
import { Client } from '../../src/http/client.ts';
import type { Target } from '../../src/http/target.ts';
import { fileAuthority } from '../support/certificates.ts';
import { answer, faultServer } from '../support/servers.ts';
import { targetFor } from '../support/targets.ts';
import { getThing } from './endpoints.ts';
import { outcomes } from './outcomes.ts';

const { authority, pair: good } = fileAuthority('IP:127.0.0.1,DNS:localhost');

const say = answer(200, '{"id":1}');

const outcomesAt = (url: string, more: Partial<Target> = {}) => outcomes(targetFor(url, more));

function expectRefused(found: (SvcError | 'done')[], message: string, hint?: string): void {
  expect(found).toHaveLength(2);
  for (const error of found) {
    expect(error).toMatchObject({
      code: 'tls_failed',
      exit: 7,
      retryable: false,
      message: expect.stringContaining(message),
    });
    if (hint !== undefined) expect((error as SvcError).hint).toContain(hint);
  }
}

describe('https', () => {
  test('refuses an unknown authority, unless --cacert names it', async () => {
    await using server = await faultServer((socket) => socket.write(say), { tls: good });
    expectRefused(await outcomesAt(server.url), 'an authority that is not trusted here', '--cacert');
    expect(server.requests).toHaveLength(0);
    expect(await outcomesAt(server.url, { tls: { ca: authority.cert, insecure: false } })).toEqual(['done', 'done']);
    expect(
      await outcomesAt(server.url.replace('127.0.0.1', 'localhost'), { tls: { ca: authority.cert, insecure: false } }),
    ).toEqual(['done', 'done']);
  });

  test('does not check with --insecure, and says so once', async () => {
    await using server = await faultServer((socket) => socket.write(say), { tls: authority.selfSigned() });
    const target = targetFor(server.url, { tls: { insecure: true } });
    const client = new Client(target, { basePath: '' });
    expect(await client.call(getThing)).toEqual({ id: 1 });
    expect(await client.call(getThing)).toEqual({ id: 1 });
    expect(target.warnings).toEqual([expect.stringMatching(/^the certificate of 127\.0\.0\.1:\d+ is not checked/)]);
    await client.close();
  });

  test('a certificate that is self-signed, for another host or expired is refused before anything is sent', async () => {
    for (const [pair, message, hint] of [
      [authority.selfSigned(), 'is self-signed', '--cacert'],
      [authority.sign('DNS:other.example'), 'is for another host', 'the name'],
      [authority.sign('IP:127.0.0.1', -1), 'has expired', 'renewed'],
    ] as const) {
      await using server = await faultServer((socket) => socket.write(say), { tls: pair });
      expectRefused(await outcomesAt(server.url, { tls: { ca: authority.cert, insecure: false } }), message, hint);
      expect(server.requests).toHaveLength(0);
    }
  });

  test('a certificate file without a certificate, or with another key', async () => {
    const other = authority.sign('IP:127.0.0.1');
    for (const tls of [
      { cert: good.cert, key: other.key, insecure: false },
      { cert: 'no', key: 'no', insecure: false },
    ]) {
      const [error] = await outcomesAt('https://127.0.0.1:1', { tls });
      expect(error).toMatchObject({ code: 'file_unusable', exit: 2, hint: expect.stringContaining('--cert') });
    }
  });
});

describe('a client certificate', () => {
  // Node's own server accepts the handshake and cuts the connection afterwards; openssl refuses as other servers do.
  test('is sent to openssl s_server, and a missing or wrong one is refused', async () => {
    const { certFile, keyFile } = authority.save(good);
    const identity = ['-CAfile', authority.file, '-cert', certFile, '-key', keyFile];
    const args = ['s_server', '-accept', '127.0.0.1:0', '-Verify', '1', '-verify_return_error', ...identity, '-www'];
    const server = spawn('openssl', args, { stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    for await (const chunk of server.stdout) {
      output += chunk;
      if (/ACCEPT .*:\d+/.test(output)) break;
    }
    const url = `https://127.0.0.1:${/ACCEPT .*:(\d+)/.exec(output)?.[1]}`;
    const trust = { ca: authority.cert, insecure: false };
    try {
      expectRefused(await outcomesAt(url, { tls: trust }), '127.0.0.1', '--cert');
      expectRefused(await outcomesAt(url, { tls: { ...trust, ...authority.selfSigned() } }), '127.0.0.1', '--cert');
      // Its page is HTML, and so an answer at last.
      expect(
        (await outcomesAt(url, { timeoutMs: 2_000, tls: { ...trust, ...authority.sign('DNS:client') } }))[0],
      ).toMatchObject({ code: 'bad_answer' });
    } finally {
      server.kill('SIGKILL');
    }
  });
});

describe('the wrong protocol', () => {
  test('is named for https to a port of plain http', async () => {
    await using server = await faultServer(() => {}, {
      onConnect: (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    });
    expectRefused(await outcomesAt(server.url.replace('http:', 'https:')), 'does not speak TLS', 'http://');
  });

  test('ends the handshake before anything is written', async () => {
    await using server = await faultServer(() => {}, {
      onConnect: (socket) => socket.once('data', () => socket.destroy()),
    });
    for (const error of await outcomesAt(server.url.replace('http:', 'https:'))) {
      expect(error).toMatchObject({
        code: 'connect_failed',
        exit: 7,
        message: expect.stringContaining('closed the connection during the TLS handshake'),
      });
    }
  });

  test('is named for http to a port of TLS', async () => {
    await using server = await faultServer((socket) => socket.write(say), { tls: good });
    const [read, write] = await outcomesAt(server.url.replace('https:', 'http:'));
    // Node's server resets such a connection without a word: then the write is of unknown outcome.
    expect(['tls_failed', 'connection_lost']).toContain((read as SvcError).code);
    expect(['tls_failed', 'outcome_unknown']).toContain((write as SvcError).code);
    expect(server.requests).toHaveLength(0);
    await using alert = await faultServer((socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])));
    expectRefused(await outcomesAt(alert.url), 'speaks TLS', 'https://');
  });
});
