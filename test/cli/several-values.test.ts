/** Several things in one argument are refused, with each as a line to paste. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spellPair, splitPair } from '../../src/cli/flags.ts';
import { argumentsOf, spellingsIn } from '../support/shell-arguments.ts';
import { svc } from '../support/svc.ts';

const LOCAL = ['--base-url', 'http://127.0.0.1:1'];

test.each([
  ['alerts check --receiver', 'web,db', "'web|db'; for the literal text, write 'web[,]db'"],
  ['alerts list --state', 'active,silenced', '--state active --state silenced'],
  ['silences check --expiring-within 2h --author', 'ann,bob', "such as --author '~^(ann|bob)$'"],
  ['silences list --for-alert', '1a58 77c0', '1a58 and 77c0; for the alert name, write'],
  [
    'alerts create A --annotation',
    'a=1 b=2',
    `--annotation a=1 --annotation b=2; for one value, write --annotation 'a="1 b=2"'`,
  ],
  ['api alerts GET /alerts -p', 'a=1;b=2', '--param a=1 --param b=2'],
  ['api alerts GET /alerts --header', 'A: 1, B: 2', 'give --header once for each'],
  ['catalog check x --below', '1,000', 'write it like 1000 or 1.5'],
  ['silences create a=1 -c x --for', '1h,2h', 'write it like 1h30m'],
])('svc %s %j', async (line, value, hint) => {
  const run = await svc([...line.split(' '), value, ...LOCAL]);
  expect([run.code, run.stderr.replaceAll('\n', ' ')]).toEqual([2, expect.stringContaining(hint)]);
});

const TWO = 'team=payments severity=critical';

test.each([
  [['alerts', 'list', TWO]],
  [['alerts', 'create', 'A', TWO]],
  [['silences', 'create', TWO, '-c', 'x']],
  [['silences', 'extend', '--for', '1h', '--for-alert', TWO]],
  [['silences', 'run', TWO, '--', 'true']],
])('%j: exit 2 with both matchers', async (argv) => {
  const dashes = argv.indexOf('--');
  const at = dashes < 0 ? argv.length : dashes;
  const run = await svc([...argv.slice(0, at), ...LOCAL, ...argv.slice(at)]);
  expect(run.code).toBe(2);
  expect(argumentsOf(spellingsIn(run.stderr).join(' ')).slice(0, 2)).toEqual([
    'team="payments"',
    'severity="critical"',
  ]);
});

test('an argument with the same characters may be one value', async () => {
  for (const argv of [
    ['silences', 'list', '--author', 'Doe, Jane'],
    ['alerts', 'check', '--receiver', 'web[,]db|x{1,2}'],
    ['alerts', 'create', 'A', '--annotation', 'summary=disk at 90%, see host=db-1'],
    ['alerts', 'create', 'A', '--annotation', 'runbook=https://x.example/?a=1&b=2'],
    ['alerts', 'list', '--header', 'Accept: text/html, x/y; q=1'],
  ])
    expect((await svc([...argv, ...LOCAL])).code, argv.join(' ')).toBeGreaterThan(2);
});

test('a value in quotes reaches the service without them, if they are needed', async () => {
  const sent = async (text: string) =>
    (await svc(['alerts', 'create', 'A', '--annotation', text, '--dry-run', ...LOCAL])).stdout;
  expect(await sent('a="1 b=2"')).toContain('"a": "1 b=2"');
  expect(await sent('a="1 b"')).toContain('"a": "\\"1 b\\""');
});

test('each value of a pair can be written', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab1=& ,;"\\\n'), maxLength: 12 });
  fc.assert(
    fc.property(fc.stringMatching(/^[ab]{1,3}$/), text, (name, value) => {
      expect(splitPair('--x', spellPair(name, value))).toEqual([name, value]);
    }),
    { numRuns: 3000 },
  );
});
