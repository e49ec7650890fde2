import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { receiverAddress } from '../../../src/features/webhooks/options.ts';
import { draftEvent } from '../../../src/features/webhooks/sending/sample-event.ts';

const surroundings = { now: () => 0, random: () => 0 };
const draft = (set: Record<string, string>) => draftEvent({ type: 'summary.completed', set }, surroundings);

describe('--set', () => {
  test('sets any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(draft({ 'data.title': text }).data['title']).toBe(text);
      }),
    );
  });

  test('replaces a list or an object, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (list) => {
        const { summaries, ...rest } = draft({ 'data.summaries': JSON.stringify(list) }).data;
        expect(summaries).toEqual(JSON.parse(JSON.stringify(list)));
        const { summaries: _, ...before } = draft({}).data;
        expect(rest).toEqual(before);
      }),
    );
  });

  test('accepts only paths of the event', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('data', 'title', '__proto__', 'constructor', 'length', '0', '', 'x')),
        (names) => {
          const path = names.join('.');
          fc.pre(path !== 'data.title' && path !== 'data');
          expect(() => draft({ [path]: '1' })).toThrow(SvcError);
          expect(({} as Record<string, unknown>)['x']).toBeUndefined();
        },
      ),
    );
  });
});

describe('an address', () => {
  test('is used unchanged, or refused', () => {
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
