/** The caps on calls of doc 3 §8, in a window of the gateway's own clock. */
import { describe, expect, test } from 'vitest';
import { IS_HARD } from '../../support/turns.ts';
import { errorOf, type Fields, NOW, startGateway } from './service.ts';

const READS: readonly [number, number, number, string, string, Fields][] = [
  [44, 50, 3600, 'GET', '/trading/get_model', { models: 'OpenPosition' }],
  [46, 1500, 3600, 'GET', '/trading/get_model', { models: 'Order' }],
  [79, 500, 3600, 'GET', '/trading/get_model/Accounts', {}],
  [118, 10, 60, 'GET', '/trading/get_model', { models: 'ClosedPosition' }],
  [24, 500, 3600, 'POST', '/trading/update_subscriptions', { symbol: 'EUR/USD', visible: true }],
];

/** The others take a second for a thousand calls. */
const IN_NPM_TEST: readonly number[] = [44, 118];

describe.each(READS.filter(([cmd]) => IS_HARD || IN_NPM_TEST.includes(cmd)))(
  'the limit of command %s, %s calls in %s s',
  (cmd, most, seconds, method, path, fields) => {
    test(`refuses ${method} ${path} ${JSON.stringify(fields)} until the time is over`, async () => {
      let now = NOW;
      await using gateway = await startGateway({ now: () => now });
      const peer = await gateway.peer();
      const call = () => gateway.call(peer.id, method, path, fields);
      for (let count = 0; count < most; count++) expect((await call())['response']).toEqual({ executed: true });
      const message = `ORA-20301: the number of calls is exceeded, Cmd=${cmd}`;
      expect(errorOf(await call())).toEqual({ code: 20301, message, parameters: [String(cmd)] });
      now += seconds * 1000 - 1;
      expect((await call())['response']).toMatchObject({ executed: false });
      now += 1;
      expect((await call())['response']).toEqual({ executed: true });
    });
  },
);
