import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { checkReceiverUrl, receiverWarnings } from '../../../src/features/webhooks/subscriptions/subscription.ts';

const accepts = (text: string, local: boolean): boolean => {
  try {
    return checkReceiverUrl(text, '--url', { local }) === text;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'invalid_value') return false;
    throw error;
  }
};

describe('the address of a subscription', () => {
  it('may be http on the machine of the service', () => {
    const local = ['http://127.0.0.1:1/', 'http://localhost/', 'http://[::1]:8787/hook'];
    const others = ['http://127.0.0.1.a.example/', 'http://10.0.0.1/', 'http://localhost.a.example/'];
    expect([...local, ...others].filter((text) => accepts(text, true))).toEqual(local);
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
