/** Every line that svc prints to be pasted means the same in every shell, whatever the services, files and users put in it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asCurl } from '../../src/cli/dry-run.ts';
import { bodyText, buildRequest } from '../../src/http/endpoint.ts';
import { shellWord } from '../../src/output/escape.ts';
import { onPath, shells } from '../support/peers.ts';
import { answer, fileServer } from '../support/servers.ts';
import { targetFor } from '../support/targets.ts';
import { IS_HARD } from '../support/turns.ts';

const run = promisify(execFile);
const server = await fileServer((socket) => socket.end(answer(200, '{}', { connection: 'close' })));

/** Fragments that some shell, printf or curl gives a meaning. */
const FRAGMENTS = [
  "'", "\\'", '\\', '\\\\', '"', '\\"', '$', '$(', ')', '`', '${', '}', '$((1))', '%s', '%', '%%', '\\x41', '\\101', '\\c', '!', '!!', '#',
  ';', '&', '|', '<', '>', '*', '?', '[a]', '{a,b}', '~', '^', '=', '-', '--', '@', '\t', '\n', '\r', '\u200b', '\u202e', '\u2028', '\x1b[31m',
  '\x01', '\x7f', '\u0085', 'é', '日', '👩‍👩‍👧', ' ', "'; touch pwned; #", "\\u200b'; touch pwned; #", '$(touch pwned)', '`touch pwned`',
]; // biome-ignore format: one fragment per line hides the list
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 8 })
  .map((parts) => parts.join('').replaceAll('\0', ''))
  .filter((text) => Buffer.from(text).toString() === text);
const many = fc.array(hostile, { minLength: 50, maxLength: 50 });

describe.each(shells())('$name', ({ command, args, env }) => {
  const runs = async (script: string, more: NodeJS.ProcessEnv = {}) => {
    // Not UTF-8: what a shell does with bytes must not depend on the language of the user.
    const { stdout } = await run(command, [...args, script], {
      encoding: 'buffer',
      env: { PATH: process.env['PATH'], LC_ALL: 'C', ...env, ...more },
    });
    return stdout;
  };

  test('a word equals its text', async () => {
    await fc.assert(
      fc.asyncProperty(many, async (texts) => {
        const expected = texts.map((text) => text.replace(/\n+$/, ''));
        const script = `/usr/bin/printf '%s\\0' ${expected.map(shellWord).join(' ')}`;
        expect(script).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect((await runs(script)).toString()).toBe(expected.map((word) => `${word}\0`).join(''));
      }),
      // 50 texts in each line.
      { numRuns: IS_HARD ? 200 : 2 },
    );
  });

  test.skipIf(onPath('curl') === undefined)('curl sends the names, values and bodies that svc would send', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(hostile, hostile), { minLength: 8, maxLength: 8 }), async (pairs) => {
        const requests = pairs.map(([text, other], index) => {
          const header = `x${text.replace(/[^\w!#$%&'*+.^`|~-]/g, '')}`;
          const request = buildRequest(
            targetFor(server.url, { headers: { [header]: other.replace(/[^\t\x20-\x7e\x80-\xff]/g, '') } }),
            { basePath: '' },
            { method: 'POST', path: '/', effect: 'write', encoding: 'json' },
            { query: { [text]: other }, body: { [text]: other } },
          );
          return index % 2 === 0
            ? request
            : ({ ...request, encoding: 'bytes', body: Buffer.from(other + text) } as const);
        });
        const before = server.requests.length;
        await runs(requests.map((request) => asCurl(request, new Set())).join('\n'));
        for (const [index, request] of requests.entries()) {
          const received = server.requests[before + index];
          expect(server.url + received?.path).toBe(request.url);
          expect(received?.headers).toMatchObject(request.headers);
          expect(received?.body).toBe(bodyText(request));
        }
      }),
      { numRuns: 1 },
    );
  });
});
