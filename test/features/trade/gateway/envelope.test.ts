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

describe('a response of the gateway', () => {
  it('has a verdict and its error, in each form that was seen', () => {
    for (const [body, error] of SEEN) {
      const verdict = { executed: false, error: expect.objectContaining(error) };
      expect(verdictOf(JSON.parse(body)), body).toEqual(verdict);
    }
    for (const error of [undefined, null, '']) {
      expect(verdictOf({ response: { executed: true, error } })).toEqual({ executed: true, error: undefined });
    }
    expect(verdictOf({})).toEqual({ executed: undefined, error: undefined });
  });

  it('has an error with a message, whatever the error is', () => {
    const object = { toString: null, valueOf: null };
    expect(tradingError({ code: object, message: object, parameters: [object] })).toMatchObject({
      code: undefined,
      message: JSON.stringify(object),
    });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.json(), fc.string()), (error) => {
        expect(tradingError(error)?.message ?? 'none').not.toBe('');
      }),
    );
  });

  it('is a refusal, a refused token or a rate limit', () => {
    const codes = SEEN.map(([body]) => refusal(verdictOf(JSON.parse(body)).error, 'it').code);
    const refused = Array(4).fill('refused');
    expect(codes).toEqual([...refused, 'unauthorized', 'limited', 'refused', 'refused']);
  });

  it('is reported with its number, but never with the session id', () => {
    const error = refusal(verdictOf(JSON.parse(SEEN[3]?.[0] ?? '')).error, 'the order');
    expect(error.more).toEqual({ server_code: 20001, cmd: undefined, request_id: 'Request-7' });
    expect(JSON.stringify(error) + error.message).not.toContain('s3ss10n');
    expect(error.message).toBe(
      'the gateway refused the order: Account is not in pool. Skip request for acct 1 (code 20001)',
    );
  });
});
