import { describe, expect, it } from 'vitest';
import { readEvent } from '../../../src/features/webhooks/delivery.ts';

const read = (text: string | Uint8Array) => readEvent(Buffer.from(text as string));

describe('the event in a body', () => {
  it('has its known fields, and the whole value', () => {
    const value = { id: 'evt_1', type: 'a.b', created_at: 'x', data: { n: 1 }, later: [1] };
    expect(read(JSON.stringify(value))).toEqual({ id: 'evt_1', type: 'a.b', created_at: 'x', data: { n: 1 }, value });
    expect(read('{}')).toEqual({ id: undefined, type: undefined, created_at: undefined, data: {}, value: {} });
    expect(read('{"id":1,"type":null,"created_at":{},"data":[]}')).toMatchObject({ id: undefined, data: {} });
  });

  it('is missing where the body is not a JSON object in UTF-8', () => {
    const bodies = [
      '',
      '[]',
      'null',
      '1',
      '"evt_1"',
      '{"id":',
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    ];
    expect(bodies.map(read)).toEqual(bodies.map(() => undefined));
  });

  it('has the last value of a repeated key, as in JSON.parse', () => {
    for (const [second, id, type] of [
      ['"id":"evt_2"', 'evt_2', 'a'],
      ['"id" : "evt_2"', 'evt_2', 'a'],
      ['"\\u0069d":"evt_2"', 'evt_2', 'a'],
      ['"t\\u0079pe":"b"', 'evt_1', 'b'],
    ] as const) {
      expect(read(`{"id":"evt_1","type":"a",${second}}`), second).toMatchObject({ id, type });
    }
  });
});
