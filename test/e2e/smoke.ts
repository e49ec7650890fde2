/** The few command lines that show that a built svc is whole: prepared texts, each service, files from outside, no word on stderr. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { PING, SECRET, SIGNATURE, T } from '../features/webhooks/vectors.ts';
import { type Ended, ROOT, type StartOptions, start } from './binary.ts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };

const IN_SANDBOX = ['sandbox', 'run', '--', 'svc'];
const LINES: readonly (readonly [argv: readonly string[], stdout: unknown, options?: StartOptions])[] = [
  [['--version'], `${version}\n`],
  [['alerts', '--help'], expect.stringMatching(/^List, check and send alerts\n\nUsage: svc alerts /)],
  [['completion', 'bash'], expect.stringMatching(/\ncomplete .* svc\n/)],
  [['config', 'path', '-o', 'yaml'], expect.stringContaining('settings.json')],
  [
    ['webhooks', 'verify', '--timestamp', T, '--signature', SIGNATURE, '--now', T],
    expect.stringMatching(/^valid /),
    { env: { SVC_WEBHOOK_SECRET: SECRET }, input: PING.toString() },
  ],
  [
    [...IN_SANDBOX, 'alerts', 'list', '-o', 'json', '--query', 'length(@)'],
    '6\n',
    // Node itself has something to say about the two.
    { env: { NO_COLOR: '1', FORCE_COLOR: '1' } },
  ],
  [[...IN_SANDBOX, 'trade', 'accounts', '--color', 'always'], expect.stringContaining('\u001b[')],
];

/** Runs them with `command` before each. */
export async function smoke([command, ...before]: readonly [string, ...string[]]): Promise<void> {
  const run = async (argv: readonly string[], options: StartOptions = {}): Promise<Ended> =>
    await start(command, [...before, ...argv], options).ended;
  const ended = await Promise.all(LINES.map(async ([argv, , options]) => ({ argv, ...(await run(argv, options)) })));
  expect(ended).toEqual(LINES.map(([argv, stdout]) => ({ argv, code: 0, signal: null, stdout, stderr: '' })));
}
