/** What a service writes as a number has every digit in every format, in all services. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactNumbers } from '../../src/json-object.ts';
import { answer, faultServer } from '../support/servers.ts';
import { svc } from '../support/svc.ts';

const LARGE = '9007199254740995';
const LONG = '0.1000000000000000055';
const HUGE = '1e400';
const MORE = `"large":${LARGE},"long":${LONG},"huge":${HUGE}`;
const SILENCE = `{"id":"a-1","status":{"state":"active"},"matchers":[],"startsAt":"2026-01-01T00:00:00Z","endsAt":"2999-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z","createdBy":"x","comment":"y",${MORE}}`;
const CATEGORY = `{"items":[{"id":7,"title":"x",${MORE}}],"total":1}`;

const LISTS: readonly (readonly [argv: readonly string[], response: string])[] = [
  [['silences', 'list'], `[${SILENCE}]`],
  [['catalog', 'categories', 'list'], CATEGORY],
  [['api', 'alerts', 'GET', '/x'], `[{${MORE}}]`],
];

it.each(LISTS)('svc %j prints every digit of a number in every format', async (argv, response) => {
  await using server = await faultServer((socket) => {
    socket.write(answer(200, response));
  });
  const env = { SVC_ALERTS_URL: server.url, SVC_CATALOG_URL: server.url };
  // Fields that svc does not know are no columns; in a free response, all are.
  for (const format of ['json', 'ndjson', 'yaml', ...(argv[0] === 'api' ? ['csv', 'table'] : [])]) {
    const { code, stdout, stderr } = await svc([...argv, '-o', format], { env });
    expect(code, stderr).toBe(0);
    for (const digits of [LARGE, LONG, HUGE]) expect(stdout, format).toContain(digits);
  }
});

/** The value of a JSON number, without its exponent and its zeros. */
function normalForm(token: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const rest = digits.replace(/0+$/, '');
  if (rest === '') return '0';
  return `${sign}${rest}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - rest.length)}`;
}

it('a number of any form has its value afterwards', () => {
  const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,24})$/);
  const token = fc
    .tuple(
      fc.constantFrom('', '-'),
      digits,
      fc.stringMatching(/^(?:\.\d{1,24})?$/),
      fc.stringMatching(/^(?:[eE][+-]?\d{1,3})?$/),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(token, fc.constantFrom('', ' ', '\n'), (number, blank) => {
      const [value] = JSON.parse(exactNumbers(`[${blank}${number}${blank}]`)) as readonly unknown[];
      expect(normalForm(String(value).replace('+', ''))).toBe(normalForm(number.replace('+', '')));
    }),
    { numRuns: 5_000, examples: [['2800E-327', '']] },
  );
});

it('a text is not changed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const safe = JSON.stringify(value, (_, one) => (typeof one === 'number' ? 1 : one));
      expect(exactNumbers(safe)).toBe(safe);
    }),
  );
  const text = '{"a":"x: 12345678901234567890, \\" 1e400"}';
  expect(exactNumbers(text)).toBe(text);
});
