/** The script of docs/trader.md that repeats an order with a key: it ends after every outcome, and sends one order. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, svc } from './binary.ts';

const [, SCRIPT = ''] = /```sh\n(status=7\n[\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/trader.md'), 'utf8')) ?? [];
const SVC = `set -e\nsvc() { "${process.execPath}" "${join(ROOT, 'bin/svc.cjs')}" "$@"; }\n`;
const COUNT = `trap 'svc trade journal -o ndjson | grep -c "$SVC_TRADE_URL" >&2' EXIT\n`;

it.each([
  ['is filled', [], 0, /trade \d+ 5K @ [\d.]+ filled/],
  ['has an unknown outcome', ['--trap', 'order-500-applied'], 8, /unknown +\d+ +[0-9a-f-]{36}/],
] as const)('an order that %s', async (_name, traps, code, stdout) => {
  const run = await svc(['sandbox', 'run', ...traps, '--', 'sh', '-c', `${SVC}${COUNT}${SCRIPT}`]);
  expect(run.code, run.stderr).toBe(code);
  expect(run.stdout).toMatch(stdout);
  expect(run.stderr).toMatch(/^1$/m);
});
