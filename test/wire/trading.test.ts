/**
 * Tables of the trading gateway, written by hand from document 3 and from what the public implementation answers, and read by the
 * client itself: the sandbox may be wrong in the same way as the client, these files are not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { openTrading } from '../../src/features/trade/client.ts';
import { FORM } from '../../src/features/trade/gateway/engine-connection.ts';
import { explainTrading } from '../../src/features/trade/gateway/failed-answer.ts';
import { MODEL_NAMES, MODELS, type ModelName } from '../../src/features/trade/models.ts';
import { Client } from '../../src/http/client.ts';
import { nodesOf, syntaxTree } from '../structure/source.ts';
import { answer, faultServer } from '../support/servers.ts';
import { targetFor } from '../support/targets.ts';

const FOLDER = new URL('trade/tables/', import.meta.url);
const sample = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

let answers: string[] = [];
const server = await faultServer((socket) => socket.write((answers.length > 1 ? answers.shift() : answers[0]) ?? ''));
const client = new Client(targetFor(server.url, { service: 'trade' }), {
  basePath: '',
  contentType: FORM,
  explain: explainTrading,
});
const trading = openTrading(client);
afterAll(async () => {
  await client.close();
  await server.close();
});
beforeEach(() => void server.requests.splice(0));

function answered(...names: readonly string[]): void {
  answers = names.map((name) => answer(200, sample(name)));
}
const sent = (): string[] =>
  server.requests.splice(0).map(({ method, path, body }) => `${method} ${path} ${body}`.trim());

async function failure(work: Promise<unknown>): Promise<SvcError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SvcError)) throw new Error('it did not fail as it should');
  return error;
}

/** What numbers become that are names. */
const ID = /^(offerId|orderId|tradeId|accountId|ocoBulkId|stopMove)$/;
const withIds = (row: object): object =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, ID.test(name) ? String(value) : value]));

const fileOf = (name: ModelName): string => `${MODELS[name].rows.replaceAll('_', '-')}.json`;

describe('a table', () => {
  it.each(MODEL_NAMES)('%s has every field unchanged, without its total', async (name: ModelName) => {
    const { rows } = MODELS[name];
    const file = fileOf(name);
    answered(file);
    const found = await trading.model(name);
    expect(sent()).toEqual([`GET /trading/get_model?models=${name}`]);
    const all = JSON.parse(sample(file))[rows] as readonly (object & { readonly isTotal?: boolean })[];
    const plain = all.filter(({ isTotal }) => isTotal !== true);
    expect(found).toHaveLength(plain.length);
    for (const [index, row] of plain.entries()) expect(found[index]).toMatchObject(storedFields(row, name));
  });

  it('has no total among its rows, marked or without a key', async () => {
    const orders = [
      { orderId: '39' },
      { isTotal: true, orderId: '40' },
      { orderId: '', grossPL: 1 },
      { isTotal: true },
    ];
    answers = [answer(200, JSON.stringify({ response: { executed: true }, orders }))];
    expect(await trading.model('Order')).toMatchObject([{ orderId: '39' }]);
  });

  it('without a flag of execution is accepted', async () => {
    answered('says-nothing.json');
    expect(await trading.model('Order')).toEqual([]);
  });

  it.each([
    ['row-without-id.json', 'OpenPosition', 'wrong_shape', 'open_positions.0.tradeId'],
    ['no-list.json', 'Order', 'wrong_shape', 'no list "orders"'],
    ['unauthorized.json', 'Offer', 'unauthorized', 'Unauthorized'],
  ] as const)('is refused as in %s', async (file, name, code, texts) => {
    answered(file);
    const error = await failure(trading.model(name));
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(texts);
  });
});

/** Ids as texts in the tables whose schema names them. */
function storedFields(row: object, name: ModelName): object {
  return MODELS[name].key === undefined ? row : withIds(row);
}

describe('the accounts', () => {
  it('are at the path of the document', async () => {
    answered('accounts.json');
    expect(await trading.accounts()).toMatchObject([{ accountId: '1027808', accountName: '01027808', hedging: 'N' }]);
    expect(sent()).toEqual(['GET /trading/get_model/Accounts']);
  });

  it('are requested at the other path if the first has none or is unknown', async () => {
    answered('no-accounts.json', 'accounts.json');
    expect(await trading.accounts()).toHaveLength(1);
    expect(sent()).toEqual(['GET /trading/get_model/Accounts', 'GET /trading/get_model?models=Account']);
    answers = [answer(404, '{"Code":404,"Message":"Cannot GET"}'), answer(200, sample('accounts.json'))];
    expect(await trading.accounts()).toHaveLength(1);
    expect(sent()).toEqual(['GET /trading/get_model/Accounts', 'GET /trading/get_model?models=Account']);
  });

  it('are missing if both paths are unknown', async () => {
    answers = [answer(404, '{}')];
    expect(await failure(trading.accounts())).toMatchObject({ code: 'wrong_path', exit: 3 });
    expect(sent()).toHaveLength(2);
    answers = [answer(401, '{"Code":401,"Message":"The access token is not valid"}')];
    expect(await failure(trading.accounts())).toMatchObject({ code: 'unauthorized' });
    expect(sent()).toHaveLength(1);
  });
});

describe('other requests', () => {
  it('read the instruments', async () => {
    answered('instruments.json');
    expect(await trading.instruments()).toEqual(JSON.parse(sample('instruments.json')).data.instrument);
    expect(sent()).toEqual(['GET /trading/get_instruments']);
  });

  it('read candles with a number, even of a range', async () => {
    answered('candles.json');
    const query = { offerId: '1', period: 'm1', from: 1498136400, to: 1498140000 };
    expect(await trading.candles(query)).toEqual(JSON.parse(sample('candles.json')).candles);
    expect(sent()).toEqual(['GET /candles/1/m1?num=10000&from=1498136400&to=1498140000']);
    answered('invalid-range.json');
    expect(await failure(trading.candles(query))).toMatchObject({ code: 'refused', exit: 3 });
  });

  it.each(['subscribed-text.json', 'subscribed-list.json'])('subscribe to prices: %s', async (file) => {
    answered(file);
    await trading.subscribePrices('EUR/USD');
    expect(sent()).toEqual(['POST /subscribe pairs=EUR%2FUSD']);
  });
});

it('every sample is read', () => {
  // By what this file names: which tests have run, and in what order, says nothing of it.
  const named = [...nodesOf(syntaxTree('../test/wire/trading.test.ts'))].map(({ value }) => String(value));
  const files = new Set([...MODEL_NAMES.map(fileOf), ...named.filter((text) => /^[a-z-]+\.json$/.test(text))]);
  expect([...files].sort()).toEqual(readdirSync(FOLDER).sort());
});
