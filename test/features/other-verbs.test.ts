/** Words and options that users of other tools type. Nothing is sent. */
import { expect, test } from 'vitest';
import { svc } from '../support/svc.ts';

test.each([
  ['webhooks logs ep_1', 'hint: did you mean: svc webhooks deliveries ep_1'],
  ['oauth whoami', 'hint: did you mean: svc oauth status'],
  ['trade close all', 'hint: svc trade positions lists open trades; --everything closes all'],
  ['trade orders cancel all', 'hint: svc trade orders lists open orders; --all cancels all'],
  ['trade cancel 7', 'hint: did you mean: svc trade orders cancel 7'],
  ['trade balance', 'hint: did you mean: svc trade accounts list'],
  ['alerts list -w', 'hint: did you mean --watch?'],
  ['alerts list -L 5', 'hint: did you mean --limit?'],
  ['alerts list -x', 'hint: see svc alerts list --help'],
  ['alerts list -xall', 'hint: see svc alerts list --help'],
  ['silences update -xid', 'hint: see svc silences update --help'],
  ['trade buy EUR/USD --amount 5', 'hint: usage: svc trade buy <symbol> [amount] [options]'],
  ['catalog products search coffee --all', 'hint: did you mean: svc catalog products search --search coffee --all'],
  ["catalog products list a$'b", `hint: did you mean: svc catalog products list --search 'a$'"'"'b'`],
  ['catalog products list --search coffee beans', 'hint: usage: svc catalog products list [options]'],
])('svc %s', async (line, hint) => {
  const { code, stdout, stderr } = await svc(line.split(' '), {
    env: { SVC_TRADE_URL: 'http://127.0.0.1:9', SVC_TRADE_TOKEN: 'a'.repeat(40) },
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.split('\n').slice(1, 2)).toEqual([hint]);
});

test.each([
  'oauth login --client-secret s3cr3t',
  'oauth login --client-secret=s3cr3t',
  'webhooks verify --secrets s3cr3t body.json',
  'trade login --tokens=s3cr3t',
  'alerts list --api-key s3cr3t',
  'alerts list -w s3cr3t',
])('svc %s does not print the secret', async (line) => {
  const { code, stdout, stderr } = await svc(line.split(' '));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).not.toContain('s3cr3t');
});

test('the corrected line has no value of an option that is named like a secret', async () => {
  const { stderr } = await svc(['webhooks', 'verify', 'body.json', '--secret-fil', 's3cr3t', '--hints']);
  expect(stderr).toContain('did you mean: svc webhooks verify body.json --secret-file … --hints\n');
});

test('an argument too many is named', async () => {
  expect(await svc(['webhooks', 'list', 'active'])).toMatchObject({
    code: 2,
    stderr: 'svc: unexpected argument "active"\nhint: usage: svc webhooks list [options]\n',
  });
});
