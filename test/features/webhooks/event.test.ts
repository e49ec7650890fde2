import { describe, expect, it } from 'vitest';
import { readEvent } from '../../../src/features/webhooks/delivery.ts';

const read = (text: string | Uint8Array) => readEvent(Buffer.from(text as string));

describe('readEvent', () => {
  it('reads an envelope and preserves unknown fields', () => {
    const value = { id: 'evt_1', type: 'a.b', created_at: 'x', data: { n: 1 }, later: [1] };
    expect(read(JSON.stringify(value))).toEqual({ id: 'evt_1', type: 'a.b', created_at: 'x', data: { n: 1 }, value });
  });

  it('does not read another value as a string', () => {
    expect(read('{"id":1,"type":null,"created_at":{},"data":[]}')).toMatchObject({
      id: undefined,
      type: undefined,
      created_at: undefined,
      data: {},
    });
    expect(read('{}')).toMatchObject({ id: undefined, data: {}, value: {} });
  });

  it.each(['', '[]', 'null', '1', '"evt_1"', '{"id":', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])])(
    'reads %j as no event',
    (text) => expect(read(text)).toBeUndefined(),
  );
});

describe('a repeated key', () => {
  it.each([
    ['as it is', '"id":"evt_2"', 'evt_2', 'a'],
    ['before a blank', '"id" : "evt_2"', 'evt_2', 'a'],
    ['with an escaped letter', '"\\u0069d":"evt_2"', 'evt_2', 'a'],
    ['the type, with an escaped letter', '"t\\u0079pe":"b"', 'evt_1', 'b'],
  ])('has its last value, as in JSON.parse: %s', (_name, second, id, type) => {
    expect(read(`{"id":"evt_1","type":"a",${second}}`)).toMatchObject({ id, type });
  });
});
