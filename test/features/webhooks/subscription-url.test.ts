import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { checkReceiverUrl, receiverWarnings } from '../../../src/features/webhooks/subscriptions/subscription.ts';

const REMOTE = { local: false };

describe('what the service would refuse', () => {
  test.each([
    'http://a.example/',
    'ftp://a.example/',
    'a.example',
    '/hook',
    'https://',
    ' ',
    'https://a.example/ x',
    'http://127.0.0.1/',
  ])('%j', (text) => {
    expect(() => checkReceiverUrl(text, '--url', REMOTE)).toThrow(SvcError);
  });

  test('a service on this machine accepts local receivers by http', () => {
    for (const text of ['http://127.0.0.1:1/', 'http://localhost/', 'http://[::1]:8787/hook']) {
      expect(checkReceiverUrl(text, '--url', { local: true })).toBe(text);
    }
    for (const text of ['http://127.0.0.1.a.example/', 'http://10.0.0.1/', 'http://localhost.a.example/']) {
      expect(() => checkReceiverUrl(text, '--url', { local: true })).toThrow(SvcError);
    }
  });

  test('an accepted address is sent as typed, and is https', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl({ validSchemes: ['http', 'https', 'ftp'], withQueryParameters: true }), fc.string()),
        (text) => {
          let taken: string;
          try {
            taken = checkReceiverUrl(text, '--url', REMOTE);
          } catch (error) {
            expect(error).toMatchObject({ code: 'invalid_value' });
            return;
          }
          expect(taken).toBe(text);
          expect(new URL(taken).protocol).toBe('https:');
        },
      ),
    );
  });
});

describe('addresses that it can hardly reach', () => {
  test.each([
    ['https://10.1.2.3/', 'private network'],
    ['https://172.31.0.1/', 'private network'],
    ['https://192.168.0.1/', 'private network'],
    ['https://169.254.169.254/', 'private network'],
    ['https://[fd00::1]/', 'private network'],
    ['https://[fe80::1]/', 'private network'],
    ['https://127.0.0.1/', 'private network'],
    ['https://localhost/', 'private network'],
    ['https://printer.local/', 'private network'],
    ['https://intranet/', 'private network'],
  ])('%s', async (text, why) => {
    expect(await receiverWarnings(text, REMOTE)).toEqual([expect.stringContaining(why)]);
  });

  test('a password in the address is visible to others', async () => {
    expect(await receiverWarnings('https://u:p@192.0.2.7/', REMOTE)).toEqual([
      expect.stringContaining('user name or password'),
    ]);
    expect((await receiverWarnings('https://u:hunter2@192.0.2.7/', REMOTE)).join()).not.toContain('hunter2');
  });

  test.each(['https://192.0.2.7/', 'https://172.32.0.1/', 'https://100.128.0.1/', 'https://[2001:db8::1]/'])(
    'not %s',
    async (text) => {
      expect(await receiverWarnings(text, REMOTE)).toEqual([]);
    },
  );
});
