/** The error shape of doc 3 §7 is read wherever it is; a response that does not say whether an order was executed is an unknown outcome. */

import { describe, expect, it } from 'vitest';
import { failure } from '../../../support/svc.ts';
import { oneIn } from '../../../support/turns.ts';
import { fileGateway, reply } from './document-gateway.ts';

const gateway = await fileGateway();

const BUY = ['buy', 'EUR/USD', '5', '--yes', '-o', 'json'];

async function buy(status: number, body: string, headers: Record<string, string> = {}, more = {}) {
  gateway.feed.orders.length = 0;
  gateway.feed.onOrder = (response) => reply(response, status, body, headers);
  const run = await gateway.run(BUY, more);
  const outcomes = gateway.journal().map(({ outcome }) => outcome);
  return { ...run, posts: gateway.feed.orders.length, outcomes };
}

interface DocumentedError {
  readonly code: number;
  readonly message: string;
  readonly parameters: readonly string[];
}

/** Wherever doc 3 §7 leaves it open to be. */
const PLACES: Readonly<Record<string, (error: DocumentedError) => unknown>> = {
  'the body': (error) => error,
  'the body as a text': (error) => JSON.stringify(error),
  'response.error': (error) => ({ response: { executed: false, error }, data: {} }),
  'response.error as a text': (error) => ({ response: { executed: false, error: JSON.stringify(error) } }),
  'response.error without executed': (error) => ({ response: { error } }),
};

const CASES = Object.entries(PLACES).flatMap(([place, put]) =>
  [200, 400, 409, 500].map((status) => ({ place, put, status })),
);

describe('an error of the gateway', () => {
  it('is a refusal with its code, wherever it is in the response', async () => {
    const error = { code: 20113, message: 'ORA-20113: Insufficient margin', parameters: [] };
    for (const { place, put, status } of oneIn(2, CASES)) {
      const run = await buy(status, JSON.stringify(put(error)));
      const { code, posts, outcomes } = run;
      expect({ code, posts, outcomes }, `${place} ${status}: ${run.stderr}`).toEqual({
        code: 3,
        posts: 1,
        outcomes: ['refused'],
      });
      expect(failure(run)).toMatchObject({
        code: 'refused',
        server_code: 20113,
        sent: 'yes',
        http_status: status === 200 ? null : status,
        message: expect.stringContaining('to buy 5 EUR/USD at market: ORA-20113: Insufficient margin (code 20113)'),
      });
    }
  });

  it.each([200, 400])('is the rate limit that an ORA-20301 names, with status %i', async (status) => {
    const error = { code: 1, message: 'ORA-20301: the number of calls is exceeded, Cmd=44', parameters: ['44'] };
    const run = await buy(status, JSON.stringify(error));
    expect({ code: run.code, outcomes: run.outcomes }, run.stderr).toEqual({ code: 6, outcomes: ['refused'] });
    expect(failure(run)).toMatchObject({
      server_code: 'ORA-20301',
      cmd: 44,
      retry_after: expect.any(String),
      sent: 'yes',
      hint: 'wait until then, or see svc trade limits',
    });
    const limits = await gateway.run(['limits', '-o', 'json'], { home: gateway.home });
    expect(JSON.parse(limits.stdout)).toContainEqual(expect.objectContaining({ cmd: 44, used: 50, max: 50 }));
  });
});

it('a read fails with the error or the rate limit of its response', async () => {
  const read = async (status: number, body: object) => {
    gateway.feed.onModel = (model, response) => {
      if (model !== 'OpenPosition') return false;
      reply(response, status, JSON.stringify(body));
      return true;
    };
    const run = await gateway.run(['positions', '-o', 'json']);
    return { exit: run.code, ...failure(run) };
  };
  const refused = { exit: 3, code: 'refused', server_code: 20113 };
  expect(await read(400, { code: 20113, message: 'no such table', parameters: [] })).toMatchObject(refused);
  const limited = { exit: 6, server_code: 'ORA-20301', cmd: 46 };
  for (const status of [429, 200])
    expect(await read(status, { code: 1, message: 'ORA-20301, Cmd=46', parameters: [] })).toMatchObject(limited);
});

const PAGE = '<html><head><title>Error</title></head></html>';
const HTML = { 'content-type': 'text/html' };

type Answer = readonly [status: number, body: string, headers?: Record<string, string>];

it('an order is unknown if the response does not say whether it was executed', async () => {
  const pages = [400, 402, 408, 409, 410, 422, 425, 499, 500, 503].map((status): Answer => [status, PAGE, HTML]);
  const UNSAID: readonly Answer[] = [
    ...oneIn(3, pages),
    [409, '{"message":"conflict"}'],
    [502, '{"code":1001,"message":"upstream timeout"}'],
    [400, '{"response":{"executed":true,"error":{"code":3,"message":"no","parameters":[]}}}'],
    [200, '{"response":{"error":"something went wrong"}}'],
    [302, '', { location: '/login' }],
  ];
  for (const [status, body, headers = {}] of UNSAID) {
    const run = await buy(status, body, headers);
    const { code, posts, outcomes } = run;
    expect({ code, posts, outcomes }, `${status} ${body}`).toEqual({ code: 8, posts: 1, outcomes: ['unknown'] });
    expect(failure(run)).toMatchObject({ code: 'outcome_unknown', retryable: false, sent: 'yes' });
  }
});

it('an order was refused if the status alone says so', async () => {
  const LIMITED = '{"Code":403,"Message":"The number of API requests per session has been exceeded."}';
  const REFUSED: readonly (readonly [status: number, body: string, exit: number])[] = [
    [401, PAGE, 4],
    [403, '', 4],
    [403, LIMITED, 6],
    [404, PAGE, 3],
    [413, PAGE, 3],
    [400, '{"message":"no"}', 3],
  ];
  for (const [status, body, exit] of REFUSED) {
    const { code, posts, outcomes } = await buy(status, body, body === PAGE ? HTML : {});
    expect({ code, posts, outcomes }, `${status} ${body}`).toEqual({ code: exit, posts: 1, outcomes: ['refused'] });
  }
});

it.each([
  ['in seconds', '7', '{"message":"slow down"}'],
  ['in seconds, with an error of the gateway', '7', '{"code":9,"message":"slow down","parameters":[]}'],
  ['as a date', 'Wed, 14 Jan 2026 12:00:07 GMT', ''],
])('a Retry-After is reported: %s', async (_name, after, body) => {
  const now = () => Date.UTC(2026, 0, 14, 12);
  const run = await buy(429, body, { 'retry-after': after }, { now });
  expect({ code: run.code, posts: run.posts }, run.stderr).toEqual({ code: 6, posts: 1 });
  expect(failure(run)).toMatchObject({ code: 'limited', retry_after: '2026-01-14T12:00:07.000Z', http_status: 429 });
});

it('an order id above 2^53 is exact in a response', async () => {
  const id = '12345678901234567890';
  const run = await buy(200, `{"response":{"executed":true},"data":{"type":0,"orderId":${id}}}`);
  expect({ code: run.code, value: JSON.parse(run.stdout) }).toMatchObject({ code: 0, value: { order_id: id } });
  expect(gateway.journal()).toMatchObject([{ outcome: 'accepted', order_ids: [id] }]);
});

it('an order id above 2^53 is exact in a push', async () => {
  const { feed } = gateway;
  const row = { currency: 'EUR/USD', isBuy: true, amountK: 5, accountId: 1027808, time: '' };
  feed.onOrder = (response) => {
    reply(response, 200, '{"response":{"executed":true},"data":{"type":0,"orderId":9007199254740993}}');
    feed.push('Order', '{"orderId":9007199254740993,"tradeId":9007199254740995,"amountK":5,"status":2,"action":"I"}');
    feed.push('OpenPosition', { ...row, tradeId: '9007199254740995', open: 1.16 });
  };
  const run = await gateway.run([...BUY, '--wait', '5s'], { sleeps: true });
  expect(run.code, run.stderr).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ status: 'filled', trades: [{ trade_id: '9007199254740995' }] });
});
