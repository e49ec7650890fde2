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

describe('the body of a poll', () => {
  test('counts lengths in UTF-16 units', () => {
    const packets = decodePayload('9:42["π €𝟙"]'.replace('9', String('42["π €𝟙"]'.length)));
    expect(packets).toEqual(['42["π €𝟙"]']);
    expect('42["π €𝟙"]').toHaveLength(11);
  });

  test('has each packet unchanged', () => {
    fc.assert(
      fc.property(fc.array(packetText), (packets) => {
        expect(decodePayload(encodePayload(packets))).toEqual(packets);
      }),
    );
  });

  test('is refused with more than 200,000 packets', () => {
    expect(decodePayload('1:6'.repeat(200_000))).toHaveLength(200_000);
    expect(() => decodePayload('1:6'.repeat(200_001))).toThrow(PacketFault);
  });

  test('is refused if it is cut off', () => {
    fc.assert(
      fc.property(packetText, fc.nat(), (packet, at) => {
        const whole = encodePayload([packet]);
        const cut = whole.slice(0, at % whole.length);
        if (cut === '') expect(decodePayload(cut)).toEqual([]);
        else expect(() => decodePayload(cut)).toThrow(PacketFault);
      }),
    );
  });

  test('is packets or refused, whatever the text', () => {
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

  test('of the later protocol is named as such', () => {
    expect(() => decodePayload('0{"sid":"x","upgrades":[],"pingInterval":25000}')).toThrow('Engine.IO 4');
  });

  test('is refused in another form', () => {
    for (const body of ['0:', ':40', '-1:40', '1e1:40', '99999999999:4', 'ok', '<html>', '2.0:40']) {
      expect(() => decodePayload(body), body).toThrow(PacketFault);
    }
  });
});

describe('the opening', () => {
  test('has the connection id and the heartbeat', () => {
    expect(readOpening('0{"sid":"a_-Z9","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":5000}')).toEqual({
      sid: 'a_-Z9',
      pingIntervalMs: 25_000,
      pingTimeoutMs: 5_000,
    });
  });

  test('has a heartbeat within limits, whatever the gateway sends', () => {
    const heartbeat = (given: object): readonly number[] => {
      const { pingIntervalMs, pingTimeoutMs } = readOpening(`0${JSON.stringify({ sid: 'a', ...given })}`);
      return [pingIntervalMs, pingTimeoutMs];
    };
    expect(heartbeat({})).toEqual([25_000, 5_000]);
    expect(heartbeat({ pingInterval: 0, pingTimeout: 0 })).toEqual([25_000, 5_000]);
    expect(heartbeat({ pingInterval: -1, pingTimeout: 'x' })).toEqual([25_000, 5_000]);
    expect(heartbeat({ pingInterval: 1, pingTimeout: 1 })).toEqual([100, 1_000]);
    expect(heartbeat({ pingInterval: 1e12, pingTimeout: 1e12 })).toEqual([300_000, 300_000]);
  });

  test('is refused without a connection id that can be sent', () => {
    const ids = ['7', '""', '"a b"', '"a\\r\\nx: y"', '"a&b"'].map((id) => `{"sid":${id}}`);
    for (const data of ['', 'null', '[]', '{}', ...ids]) {
      expect(() => readOpening(`0${data}`), data).toThrow('no connection id');
    }
  });
});

describe('a message', () => {
  test('is an event, a change of the connection, or an error', () => {
    const MESSAGES: Readonly<Record<string, object>> = {
      '2["Order","{\\"t\\":3}"]': { kind: 'event', name: 'Order', payload: '{"t":3}' },
      '2["EUR/USD",{"Rates":[1,2]}]': { kind: 'event', name: 'EUR/USD', payload: '{"Rates":[1,2]}' },
      '217["Order","{}"]': { kind: 'event', name: 'Order', payload: '{}' },
      '2["Order"]': { kind: 'event', name: 'Order', payload: '' },
      '2["Order","not JSON"]': { kind: 'event', name: 'Order', payload: 'not JSON' },
      '0': { kind: 'connect' },
      '1': { kind: 'disconnect' },
      '4"Not authorized"': { kind: 'error', text: 'Not authorized' },
      '4{"message":"no"}': { kind: 'error', text: 'no' },
      '4Not JSON': { kind: 'error', text: 'Not JSON' },
    };
    const read = Object.keys(MESSAGES).map((data) => [data, readMessage(data)]);
    expect(Object.fromEntries(read)).toEqual(MESSAGES);
  });

  test('is skipped if it is none of these, or of another namespace', () => {
    const others = ['0/other', '1/other', '4/other,"no"', '2/other,["a","{}"]'];
    const texts = ['', '3', '31["x"]', '5', '9', '2', '2x["a"]', '2["a"', '2[1,"x"]', ...others];
    expect(texts.filter((data) => readMessage(data) !== undefined)).toEqual([]);
  });

  test('is read or skipped, whatever the text', () => {
    fc.assert(
      fc.property(fc.tuple(fc.constantFrom('', '0', '1', '2', '2[', '4'), text), ([start, rest]) => {
        expect(() => readMessage(start + rest)).not.toThrow();
      }),
    );
  });
});
