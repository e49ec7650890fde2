/** Mistakes that are made every day. The message says what is wrong, and the line below it what to type. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shellCommands } from '../registry/shell-commands.ts';
import { svc, temporaryHome } from '../support/svc.ts';

const home = temporaryHome();
const run = (argv: readonly string[]) => svc(argv, { home, env: { SVC_ALERTS_URL: 'http://127.0.0.1:9' } });

describe('config', () => {
  test.each([
    [['get', 'alert.url'], 'did you mean: svc config get alerts.url'],
    [['set', 'alerts.uri', 'x'], 'did you mean: svc config set alerts.url x'],
    [['get', 'nosuch'], 'svc help configuration lists them'],
  ])('%j: %s', async (argv, hint) => {
    const { code, stderr } = await run(['config', ...argv]);
    expect([code, stderr]).toEqual([2, `svc: there is no setting "${argv[1]}"\nhint: ${hint}\n`]);
  });
});

describe('a file', () => {
  const folder = join(home, 'folder');
  mkdirSync(folder, { recursive: true });
  test.each([
    ['none.json', 'no such file or directory'],
    [folder, 'it is a directory'],
  ])('%s: %s', async (path, why) => {
    const lines = [
      ['silences', 'import', path],
      ['alerts', 'create', '-f', path],
      ['alerts', 'config', 'check', path],
      ['catalog', 'basket', path],
    ];
    for (const argv of lines) {
      expect(await run(argv), argv.join(' ')).toMatchObject({ code: 2, stderr: `svc: cannot read ${path}: ${why}\n` });
    }
  });
});

test('a chart in JSON is one value, which has no order', async () => {
  const history = ['catalog', 'history', '2b7e4d18-0c3a-4f5d-a1b6-9e8d7c6b5a03', '-o', 'json'];
  expect(await run([...history, '--sort', 'at'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('one value is printed'),
  });
  const fields = await run([...history.slice(0, 3), '--fields', 'price', '--columns', 'store']);
  expect(fields).toMatchObject({ code: 2, stderr: expect.stringContaining('--columns') });
});

test('-o jsonl and yml are formats by other names', async () => {
  const topics = async (format: string) => (await run(['sandbox', 'traps', '-o', format])).stdout;
  expect(await topics('jsonl')).toBe(await topics('ndjson'));
  expect(await topics('yml')).toBe(await topics('yaml'));
});

test('the usage of a command that runs another has its own options first', async () => {
  expect(await run(['silences', 'run', 'team=db', '-c', 'why', './deploy.sh'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('hint: usage: svc silences run [options] <matcher...> -- <command...>\n'),
  });
});

test.each([
  ['alerts get NodeDown', 'svc alerts list -a NodeDown shows those that match'],
  ["silences ack 'team=db, eu'", "svc alerts list -a 'team=db, eu' shows those that match"],
  ["alerts get '?'", 'svc alerts list -a shows all alerts that are not resolved'],
])('svc %s: %s', async (line, hint) => {
  const [argv = []] = shellCommands(line);
  expect(await run(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(`\nhint: ${hint}\n`) });
});
