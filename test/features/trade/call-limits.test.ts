import { describe, expect, it } from 'vitest';
import { getAccounts, getModel, openTrade } from '../../../src/features/trade/client.ts';
import {
  CALL_LIMITS,
  type CallBudget,
  type CallLimit,
  COMMAND_NUMBERS,
  type Counting,
  commandNumbers,
  countedCaller,
  requestName,
} from '../../../src/features/trade/gateway/counted-caller.ts';
import type { Envelope } from '../../../src/features/trade/schema.ts';
import type { CallValues, Endpoint } from '../../../src/http/endpoint.ts';

describe('commandNumbers', () => {
  it('counts the known reads of doc 3 §8, and no orders', () => {
    const numberOf = (endpoint: Endpoint<Envelope>, values?: CallValues) =>
      COMMAND_NUMBERS[requestName(endpoint, values)];
    expect(numberOf(getAccounts)).toBe(79);
    expect(numberOf(getModel, { query: { models: 'OpenPosition' } })).toBe(44);
    expect(numberOf(getModel, { query: { models: 'Offer' } })).toBeUndefined();
    expect(numberOf(getModel, { query: { models: ['Order'] } })).toBe(46);
    expect(numberOf(openTrade)).toBeUndefined();
    for (const cmd of Object.values(COMMAND_NUMBERS)) expect(CALL_LIMITS.map((one) => one.cmd)).toContain(cmd);
  });

  it('is corrected by a setting', () => {
    expect(commandNumbers(undefined)).toEqual(COMMAND_NUMBERS);
    expect(commandNumbers(' Order=117, Offer=8 ,Account=0')).toEqual({
      ...COMMAND_NUMBERS,
      Order: 117,
      Offer: 8,
      Account: 0,
    });
    for (const text of ['Order', 'Order=x', '=1', 'Order=1;Offer=2']) expect(commandNumbers(text)).toBeUndefined();
  });
});

class Budget implements CallBudget {
  readonly log: string[] = [];
  #full: number;
  constructor(full: number) {
    this.#full = full;
  }
  async take({ cmd }: CallLimit) {
    this.log.push(`take ${cmd}`);
    return this.#full-- > 0 ? { freeAt: 60_000 } : undefined;
  }
  async fill({ cmd }: CallLimit) {
    this.log.push(`fill ${cmd}`);
    return 3_600_000;
  }
}

async function ask(full: number, atLimit: Counting['atLimit'], answer: object = { response: { executed: true } }) {
  const budget = new Budget(full);
  const caller = countedCaller(
    {
      async call<T>() {
        budget.log.push('sent');
        return answer as T;
      },
      send: () => Promise.reject(new Error('it is no write')),
    },
    { budget, atLimit, commandNumbers: COMMAND_NUMBERS, waitUntil: async (ms) => void budget.log.push(`wait ${ms}`) },
  );
  const outcome = caller.call(getModel, { query: { models: 'Order' } }).then(
    () => 'answered',
    (error) => ({ code: error.code, message: error.message, more: error.more }),
  );
  return { outcome: await outcome, log: budget.log };
}

describe('countedCaller', () => {
  it('sends while there is room', async () => {
    expect(await ask(0, 'fail')).toEqual({ outcome: 'answered', log: ['take 46', 'sent'] });
  });

  it('sends nothing at the limit, and says when it will be possible', async () => {
    expect(await ask(1, 'fail')).toEqual({
      outcome: {
        code: 'limited',
        message:
          'from here all calls of command 46 (get orders by account: 1500 in 3600 s) are used up until 1970-01-01T00:01:00.000Z',
        more: { cmd: 46, retry_after: '1970-01-01T00:01:00.000Z' },
      },
      log: ['take 46'],
    });
  });

  it('waits with wait, and sends with ignore', async () => {
    expect((await ask(2, 'wait')).log).toEqual(['take 46', 'wait 60000', 'take 46', 'wait 60000', 'take 46', 'sent']);
    expect((await ask(2, 'ignore')).log).toEqual(['take 46', 'sent']);
  });

  it('fills the window of the command that an ORA-20301 names', async () => {
    const exceeded = (error: string) => ask(0, 'fail', { response: { executed: false, error } });
    expect(await exceeded('Error code ORA-20301, Cmd=44')).toMatchObject({
      outcome: { code: 'limited', more: { cmd: 44, retry_after: '1970-01-01T01:00:00.000Z' } },
      log: ['take 46', 'sent', 'fill 44'],
    });
    expect((await exceeded('ORA-20301')).log).toEqual(['take 46', 'sent', 'fill 46']);
    expect((await exceeded('ORA-20113')).log).toEqual(['take 46', 'sent']);
  });
});
