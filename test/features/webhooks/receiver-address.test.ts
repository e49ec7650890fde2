import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { receiverAddress } from '../../../src/features/webhooks/options.ts';

describe('the address of a receiver', () => {
  it('is used unchanged, or refused', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, validSchemes: ['http', 'https'] }), (text) => {
        expect(receiverAddress(text).href).toBe(new URL(text).href);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        let url: URL | undefined;
        try {
          url = receiverAddress(`http://${text}`);
        } catch (error) {
          expect(error).toBeInstanceOf(SvcError);
        }
        if (url !== undefined) expect(`${url.username}${url.password}${url.hash}`).toBe('');
      }),
    );
  });
});
