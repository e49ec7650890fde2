/** Mistakes that are made every day. The message says what is wrong, and the line below it what to type. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { svc, temporaryHome } from '../support/svc.ts';

const home = temporaryHome();
const run = (argv: readonly string[]) => svc(argv, { home, env: { SVC_ALERTS_URL: 'http://127.0.0.1:9' } });

describe('config', () => {
  test.each([
    [['get', 'alert.url'], 'did you mean: svc config get alerts.url'],
    [['set', 'alerts.uri', 'x'], 'did you mean: svc config set alerts.url x'],
    [['unset', 'alerts.tokenfile'], 'did you mean: svc config unset alerts.tokenFile'],
    [['get', 'nosuch'], 'svc help configuration lists them'],
  ])('%j: %s', async (argv, hint) => {
    const { code, stderr } = await run(['config', ...argv]);
    expect([code, stderr]).toEqual([2, `svc: there is no setting "${argv[1]}"\nhint: ${hint}\n`]);
  });
});

describe('an address', () => {
  const SCHEME = 'is not an address: it must begin with http:// or https://';
  const LOGIN = 'must not contain a user name or password: they come from the environment, see svc help configuration';
  test.each([
    [['alerts', 'list', '--base-url', 'localhost:9093'], `--base-url: "localhost:9093" ${SCHEME}`],
    [['config', 'set', 'alerts.url', 'am.example.com'], `alerts.url: "am.example.com" ${SCHEME}`],
    [['alerts', 'list', '--base-url', 'http://u:p@h'], `--base-url: "http://***@h" ${LOGIN}`],
    [['config', 'set', 'alerts.url', 'http://u:p@h'], `alerts.url: "http://***@h" ${LOGIN}`],
  ])('%j: %s', async (argv, text) => {
    expect(await run(argv)).toMatchObject({ code: 2, stderr: `svc: ${text}\n` });
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
