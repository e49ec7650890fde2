import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodePayload,
  PacketFault,
  readMessage,
  readOpening,
} from '../../../../src/features/trade/gateway/engine-connection.ts';

/** As the gateway sends packets: each after its length in UTF-16 units. */
function encodePayload(packets: readonly string[]): string {
  return packets.map((packet) => `${packet.length}:${packet}`).join('');
}

const text = fc.string({ unit: 'binary' });
const packetText = fc
  .tuple(fc.constantFrom('0', '1', '2', '3', '4', '5', '6'), text)
  .map(([type, data]) => type + data);

describe('a polling body', () => {
  test('counts lengths in UTF-16 units, like the public implementation', () => {
    const packets = decodePayload('9:42["π €𝟙"]'.replace('9', String('42["π €𝟙"]'.length)));
    expect(packets).toEqual(['42["π €𝟙"]']);
    expect('42["π €𝟙"]').toHaveLength(11);
  });

  test('decodes whatever it encodes', () => {
    fc.assert(
      fc.property(fc.array(packetText), (packets) => {
        expect(decodePayload(encodePayload(packets))).toEqual(packets);
      }),
    );
  });

  test('refuses very many packets in one body', () => {
    expect(decodePayload('1:6'.repeat(200_000))).toHaveLength(200_000);
    expect(() => decodePayload('1:6'.repeat(200_001))).toThrow(PacketFault);
  });

  test('reads two bodies in one', () => {
    fc.assert(
      fc.property(fc.array(packetText), fc.array(packetText), (one, other) => {
        expect(decodePayload(encodePayload(one) + encodePayload(other))).toEqual([...one, ...other]);
      }),
    );
  });

  test('refuses a truncated body', () => {
    fc.assert(
      fc.property(packetText, fc.nat(), (packet, at) => {
        const whole = encodePayload([packet]);
        const cut = whole.slice(0, at % whole.length);
        if (cut === '') expect(decodePayload(cut)).toEqual([]);
        else expect(() => decodePayload(cut)).toThrow(PacketFault);
      }),
    );
  });

  test('reads any text as packets or refuses it', () => {
    fc.assert(
      fc.property(text, (body) => {
        try {
          expect(Array.isArray(decodePayload(body))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(PacketFault);
        }
      }),
    );
  });

  test('names the later protocol version', () => {
    expect(() => decodePayload('0{"sid":"x","upgrades":[],"pingInterval":25000}')).toThrow('Engine.IO 4');
  });

  test.each(['0:', ':40', '-1:40', '1e1:40', '99999999999:4', 'ok', '<html>', '2.0:40'])('refuses %j', (body) => {
    expect(() => decodePayload(body)).toThrow(PacketFault);
  });
});

describe('the opening', () => {
  test('uses the values of the gateway', () => {
    expect(readOpening('0{"sid":"a_-Z9","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":5000}')).toEqual({
      sid: 'a_-Z9',
      pingIntervalMs: 25_000,
      pingTimeoutMs: 5_000,
    });
  });

  test.each([
    [{}, 25_000, 5_000],
    [{ pingInterval: 0, pingTimeout: 0 }, 25_000, 5_000],
    [{ pingInterval: -1, pingTimeout: 'x' }, 25_000, 5_000],
    [{ pingInterval: 1, pingTimeout: 1 }, 100, 1_000],
    [{ pingInterval: 1e12, pingTimeout: 1e12 }, 300_000, 300_000],
  ])('refuses the heartbeat %j', (given, pingIntervalMs, pingTimeoutMs) => {
    expect(readOpening(`0${JSON.stringify({ sid: 'a', ...given })}`)).toMatchObject({ pingIntervalMs, pingTimeoutMs });
  });

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '{"sid":7}',
    '{"sid":""}',
    '{"sid":"a b"}',
    '{"sid":"a\\r\\nx: y"}',
    '{"sid":"a&b"}',
  ])('finds no connection id in %j', (data) => {
    expect(() => readOpening(`0${data}`)).toThrow('no connection id');
  });
});

describe('a message', () => {
  test.each([
    ['2["Order","{\\"t\\":3}"]', { kind: 'event', name: 'Order', payload: '{"t":3}' }],
    ['2["EUR/USD",{"Rates":[1,2]}]', { kind: 'event', name: 'EUR/USD', payload: '{"Rates":[1,2]}' }],
    ['217["Order","{}"]', { kind: 'event', name: 'Order', payload: '{}' }],
    ['2["Order"]', { kind: 'event', name: 'Order', payload: '' }],
    ['2["Order","not JSON"]', { kind: 'event', name: 'Order', payload: 'not JSON' }],
    ['0', { kind: 'connect' }],
    ['1', { kind: 'disconnect' }],
    ['4"Not authorized"', { kind: 'error', text: 'Not authorized' }],
    ['4{"message":"no"}', { kind: 'error', text: 'no' }],
    ['4Not JSON', { kind: 'error', text: 'Not JSON' }],
  ])('%s', (data, message) => {
    expect(readMessage(data)).toEqual(message);
  });

  test.each([
    '',
    '3',
    '31["x"]',
    '5',
    '9',
    '2',
    '2x["a"]',
    '2["a"',
    '2[1,"x"]',
    '0/other',
    '1/other',
    '4/other,"no"',
    '2/other,["a","{}"]',
  ])('skips %j', (data) => {
    expect(readMessage(data)).toBeUndefined();
  });

  test('reads any text as a message or skips it', () => {
    fc.assert(
      fc.property(fc.tuple(fc.constantFrom('', '0', '1', '2', '2[', '4'), text), ([start, rest]) => {
        expect(() => readMessage(start + rest)).not.toThrow();
      }),
    );
  });

  test('decodes an event of any name and text unchanged', () => {
    fc.assert(
      fc.property(text, text, (name, payload) => {
        expect(readMessage(`2${JSON.stringify([name, payload])}`)).toEqual({ kind: 'event', name, payload });
      }),
    );
  });
});
