import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bunBinary } from '../support/peers.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The executables run on bun. */
const RUNTIMES = Object.entries({ 'Node.js': process.execPath, bun: bunBinary() });

/** The result of a process with svc's context after this uncaught error. */
function thrown(runtime: string, line: string) {
  const program = `require('${join(ROOT, 'dist/main.cjs')}').processContext(); ${line}; setTimeout(() => {}, 60000)`;
  const { status, stdout, stderr } = spawnSync(runtime, ['-e', program], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe.each(RUNTIMES)('an uncaught error in %s', (_, runtime) => {
  it.skipIf(runtime === undefined).each([
    ["setTimeout(() => { throw new RangeError('a text of \\u001b the peer') })", 'RangeError'],
    ["Promise.reject(new TypeError('a text of the peer'))", 'TypeError'],
    ["setImmediate(() => { throw Object.assign(new Error(), { name: 'a \\u001b b' }) })", 'unknown error'],
  ])('%s exits 70 with one line', (line, name) => {
    expect(thrown(runtime ?? '', line)).toEqual({ status: 70, stdout: '', stderr: `svc: a bug in svc: ${name}\n` });
  });
});
