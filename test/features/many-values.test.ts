/** A short text can be a million values, each of which takes memory: more of them are refused before they are read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseJson } from '../../src/features/alerts/file.ts';
import { parseJsonText } from '../../src/json-object.ts';
import { answer, type FaultServer, faultServer } from '../support/servers.ts';
import { svc } from '../support/svc.ts';
import { feedGateway } from './trade/commands/feed.ts';

const LIMIT = 1_000_000;
const MESSAGE = `too large: more than ${LIMIT} names and values`;
const list = (item: string, count: number): string => `[${Array(count).fill(item).join(',')}]`;

describe('the limit of names and values', () => {
  it.each([
    ['numbers', '-1.5e+3', 1],
    ['words', ' true', 1],
    ['texts', '"a,[{\\"0"', 1],
    ['lists', '[ ]', 1],
    ['objects', '{"name" : [null]}', 4],
  ])('counts %s', (_name, item, each) => {
    // The list is a value, too.
    const most = Math.floor((LIMIT - 1) / each);
    const rest = ',0'.repeat(LIMIT - 1 - most * each);
    const text = `${list(item, most).slice(0, -1)}${rest}`;
    expect(parseJsonText(`${text}]`)).toHaveLength(most + rest.length / 2);
    expect(() => parseJsonText(`${text},0]`)).toThrow(MESSAGE);
  });

  it("does not apply to the user's own file", () => {
    expect(parseJson(Buffer.from(list('0', LIMIT + 1)), 'backup.json')).toHaveLength(LIMIT + 1);
  });
});

it('an object has at most 10000 names', () => {
  const object = (names: number): string =>
    `{${Array.from({ length: names }, (_, n) => `"n${n}":{"a":[],"b":{}}`).join()}}`;
  expect(Object.keys(parseJsonText(object(10_000)) as object)).toHaveLength(10_000);
  expect(() => parseJsonText(`[0,${object(10_001)}]`)).toThrow('too large: more than 10000 names in one object');
});

describe('a response of too many values', () => {
  const body = list('0', LIMIT);
  let service: FaultServer;
  beforeAll(async () => {
    service = await faultServer((socket) => socket.write(answer(200, body)));
  });
  afterAll(() => service.close());

  it.each([
    ['alerts status', 'alerts'],
    ['silences get 7ea24d3b-2c1f-4a73-a9c6-0f9f0a1d6f6b', 'alerts'],
    ['catalog products get 1', 'catalog'],
    ['webhooks get ep_1', 'webhooks'],
  ])('fails %s', async (line, name) => {
    const env = { [`SVC_${name.toUpperCase()}_URL`]: service.url, SVC_WEBHOOKS_TOKEN: 'pat-0123456789' };
    const run = await svc([...line.split(' '), '-o', 'json'], { env });
    expect(run).toMatchObject({ code: 7, stdout: '' });
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: 'bad_answer',
      message: expect.stringContaining(MESSAGE),
    });
  });

  it('fails a list with such an item', async () => {
    await using one = await faultServer((socket) => socket.write(answer(200, `[{"labels":${body}}]`)));
    const run = await svc(['alerts', 'list'], { env: { SVC_ALERTS_URL: one.url } });
    expect(run).toMatchObject({ code: 7, stderr: expect.stringContaining(MESSAGE) });
  });

  it('is larger for a group of alerts', async () => {
    const labels = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`label_${i}`, 'value']));
    const status = { state: 'active', silencedBy: [], inhibitedBy: [] };
    const alert = {
      labels,
      annotations: {},
      receivers: [],
      fingerprint: 'f',
      startsAt: '2026-01-01T00:00:00Z',
      status,
    };
    const group = `[{"labels":{},"receiver":{"name":"all"},"alerts":${list(JSON.stringify(alert), 30_000)}}]`;
    await using one = await faultServer((socket) => socket.write(answer(200, group)));
    const run = await svc(['alerts', 'groups', '--query', 'length([0].alerts)', '-o', 'json'], {
      env: { SVC_ALERTS_URL: one.url },
    });
    expect(run).toMatchObject({ code: 0, stdout: '30000\n' });
  });

  it('fails a request to the gateway', async () => {
    await using feed = await feedGateway();
    feed.onModel = (_model, response) => {
      response.end(`{"response":{"executed":true},"accounts":${list('1234567890123456789', LIMIT)}}`);
      return true;
    };
    expect(await feed.run(['accounts'])).toMatchObject({ code: 7, stderr: expect.stringContaining(MESSAGE) });
  });
});
