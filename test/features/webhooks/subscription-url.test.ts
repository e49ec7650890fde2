import { describe, expect, it } from 'vitest';
import { checkReceiverUrl, receiverWarnings } from '../../../src/features/webhooks/subscriptions/subscription.ts';

describe('the address of a subscription', () => {
  it('may be http on the machine of the service only', () => {
    const check = (text: string, local: boolean) => checkReceiverUrl(text, '--url', { local });
    for (const text of ['http://127.0.0.1:1/', 'http://localhost/', 'http://[::1]:8787/hook']) {
      expect(check(text, true)).toBe(text);
      expect(() => check(text, false)).toThrow('https');
    }
    for (const text of ['http://127.0.0.1.a.example/', 'http://10.0.0.1/', 'http://localhost.a.example/'])
      expect(() => check(text, true), text).toThrow('https');
  });

  it('leads to a warning where the service can hardly reach it', async () => {
    const near = '10.1.2.3 172.31.0.1 192.168.0.1 169.254.169.254 [fd00::1] [fe80::1] localhost printer.local intranet';
    for (const host of near.split(' ')) {
      const warnings = await receiverWarnings(`https://${host}/`, { local: false });
      expect(warnings, host).toEqual([expect.stringContaining('private network')]);
    }
    for (const host of ['192.0.2.7', '172.32.0.1', '100.128.0.1', '[2001:db8::1]'])
      expect(await receiverWarnings(`https://${host}/`, { local: false }), host).toEqual([]);
  });
});
