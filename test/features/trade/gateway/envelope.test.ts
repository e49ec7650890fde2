import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tradingError, verdictOf } from '../../../../src/features/trade/gateway/envelope.ts';
import { refusal } from '../../../../src/features/trade/gateway/failed-answer.ts';

/** Bodies that gateways were seen to answer with, all of status 200. */
const SEEN: readonly (readonly [string, object])[] = [
  [
    '{"response":{"executed":false,"error":"{\\"code\\":3,\\"message\\":\\"Amount should be divisible by 10\\",\\"parameters\\":[\\"10\\"]}"},"data":{}}',
    { code: 3, message: 'Amount should be divisible by 10', parameters: ['10'] },
  ],
  [
    '{"response":{"executed":false,"error":"{\\"code\\":18,\\"message\\":\\"The Stop distance must be \\",\\"parameters\\":[\\"<\\",0]}"}}',
    { code: 18, message: 'The Stop distance must be < 0', parameters: ['<', '0'] },
  ],
  [
    '{"response":{"executed":false,"error":"{\\"code\\":19,\\"message\\":\\"The Limit distance must be > 0\\",\\"parameters\\":[\\">\\",0]}"}}',
    { code: 19, message: 'The Limit distance must be > 0', parameters: ['>', '0'] },
  ],
  [
    '{"response":{"executed":false,"error":"{\\"type\\":5,\\"sessionId\\":\\"s3ss10n\\",\\"requestId\\":\\"Request-7\\",\\"text\\":\\" Account is not in pool. Skip request for acct 1\\\\n\\",\\"code\\":20001,\\"stack\\":\\"\\"}"}}',
    { code: 20001, message: 'Account is not in pool. Skip request for acct 1', requestId: 'Request-7' },
  ],
  ['{"response":{"executed":false,"error":"Unauthorized"},"pairs":[]}', { code: undefined, message: 'Unauthorized' }],
  [
    '{"response":{"executed":false,"error":"Error code ORA-20301, Cmd=44"}}',
    { code: undefined, ora: 20301, cmd: 44, message: 'Error code ORA-20301, Cmd=44' },
  ],
  ['{"response":{"executed":false,"error":{"Code":1,"Message":"no","Parameters":null}}}', { code: 1, message: 'no' }],
  ['{"response":{"executed":false,"error":"{broken"}}', { code: undefined, message: '{broken' }],
];

describe('verdictOf', () => {
  it.each(SEEN)('reads %s', (body, error) => {
    expect(verdictOf(JSON.parse(body))).toEqual({ executed: false, error: expect.objectContaining(error) });
  });

  it.each([undefined, null, ''])('treats %j as no error', (error) => {
    expect(verdictOf({ response: { executed: true, error } })).toEqual({ executed: true, error: undefined });
  });

  it('returns nothing for an empty response', () => {
    expect(verdictOf({})).toEqual({ executed: undefined, error: undefined });
  });

  it('reads an object in place of a text or a number', () => {
    const object = { toString: null, valueOf: null };
    expect(tradingError({ code: object, message: object, parameters: [object] })).toMatchObject({
      code: undefined,
      message: JSON.stringify(object),
    });
  });

  it('reads any value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.json(), fc.string()), (error) => {
        expect(tradingError(error)?.message ?? 'none').not.toBe('');
      }),
    );
  });
});

describe('refusal', () => {
  const code = (body: string) => refusal(verdictOf(JSON.parse(body)).error, 'it').code;

  it('distinguishes a token error, a limit and a refusal', () => {
    expect(SEEN.map(([body]) => code(body))).toEqual([
      ...Array(4).fill('refused'),
      'unauthorized',
      'limited',
      'refused',
      'refused',
    ]);
  });

  it('reports the number, but never the session id', () => {
    const error = refusal(verdictOf(JSON.parse(SEEN[3]?.[0] ?? '')).error, 'the order');
    expect(error.more).toEqual({ server_code: 20001, cmd: undefined, request_id: 'Request-7' });
    expect(JSON.stringify(error) + error.message).not.toContain('s3ss10n');
    expect(error.message).toBe(
      'the gateway refused the order: Account is not in pool. Skip request for acct 1 (code 20001)',
    );
  });
});
