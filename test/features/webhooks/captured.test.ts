/** Properties of the readers of other tools' files: test/features/webhooks/captures.test.ts has examples. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { capturedDeliveries } from '../../../src/features/webhooks/captures/json.ts';

/** What it returns, or the failure that a user is shown. */
function outcome<T>(read: () => T): T | SvcError {
  try {
    return read();
  } catch (error) {
    if (error instanceof SvcError && error.code === 'file_unusable') return error;
    throw error;
  }
}

describe('JSON of other programs', () => {
  const keys = 'headers multiValueHeaders body rawBody isBase64Encoded requestContext request requests raw data';
  const others = ['content', 'info', 'item', 'header', 'X-Service-Signature'];
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(null, true, 7, '', 'eyJhIjoxfQ=='),
      fc.string(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys.split(' '), ...others), tie('value'), { maxKeys: 4 }),
    ),
  })).value;

  it('of any shape is read or refused', () => {
    fc.assert(
      fc.property(value, (json) => {
        const found = outcome(() => capturedDeliveries(Buffer.from(JSON.stringify(json)), 'in'));
        if (found === undefined || found instanceof SvcError) return;
        for (const { headers, body } of found.deliveries) {
          expect(Buffer.from(body)).toBeInstanceOf(Buffer);
          for (const [name, text] of headers) expect([typeof name, typeof text]).toEqual(['string', 'string']);
        }
      }),
    );
  });

  it('keeps every byte of a base64 body, and every character of a text body', () => {
    const headers = { 'X-Service-Signature': 'x' };
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ unit: 'grapheme' }), (bytes, text) => {
        const event = (body: string, isBase64Encoded: boolean): Buffer =>
          Buffer.from(JSON.stringify({ headers, body, isBase64Encoded }));
        const encoded = capturedDeliveries(event(Buffer.from(bytes).toString('base64'), true), 'in');
        expect(Buffer.from(encoded?.deliveries[0]?.body ?? [1])).toEqual(Buffer.from(bytes));
        const plain = capturedDeliveries(event(text, false), 'in');
        expect(Buffer.from(plain?.deliveries[0]?.body ?? []).toString()).toBe(text);
      }),
    );
  });
});
