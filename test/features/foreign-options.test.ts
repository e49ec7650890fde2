/** Options and words that users of other tools type at webhooks, oauth and trade. Nothing is sent. */
import { expect, test } from 'vitest';
import { svc } from '../support/svc.ts';

const AMOUNT = 'hint: the amount follows the symbol, without an option';
const MARKET = 'hint: this is an order at market; svc trade entry places one at a price';

test.each([
  ['webhooks logs ep_1', 'hint: did you mean: svc webhooks deliveries ep_1'],
  ['oauth whoami', 'hint: did you mean: svc oauth status'],
  ['trade buy EUR/USD --amount 5', AMOUNT],
  ['trade entry sell EUR/USD --amount 5', AMOUNT],
  ['trade buy EUR/USD 5 --type market', MARKET],
  ['trade buy EUR/USD 5 --price 1.1', MARKET],
  ['trade entry buy EUR/USD 5 --price 1.1', 'hint: did you mean: svc trade entry buy EUR/USD 5 --rate 1.1'],
  ['trade sell EUR/USD 5 --sl 40pips', 'hint: did you mean: svc trade sell EUR/USD 5 --stop 40pips'],
  ['trade sell EUR/USD 5 --take-profit 40pips', 'hint: did you mean: svc trade sell EUR/USD 5 --limit 40pips'],
  ['trade close --all', 'hint: did you mean: svc trade close --everything'],
  ['trade close all', 'hint: svc trade positions lists open trades; --everything closes all'],
  ['trade orders cancel all', 'hint: svc trade orders lists open orders; --all cancels all'],
  ['trade cancel 7', 'hint: did you mean: svc trade orders cancel 7'],
  ['trade balance', 'hint: did you mean: svc trade accounts list'],
])('svc %s', async (line, hint) => {
  const { code, stdout, stderr } = await svc(line.split(' '), {
    env: { SVC_TRADE_URL: 'http://127.0.0.1:9', SVC_TRADE_TOKEN: 'a'.repeat(40) },
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.split('\n').slice(1, 2)).toEqual([hint]);
});

test.each(['--client-secret s3cr3t', '--client-secret=s3cr3t'])(
  'svc oauth login %s does not print it',
  async (option) => {
    const { code, stdout, stderr } = await svc(['oauth', 'login', ...option.split(' ')]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toContain('s3cr3t');
  },
);

test('an argument too many is named', async () => {
  expect(await svc(['webhooks', 'trigger', 'summary.completed'])).toMatchObject({
    code: 2,
    stderr: 'svc: unexpected argument "summary.completed"\nhint: usage: svc webhooks send [options]\n',
  });
});
