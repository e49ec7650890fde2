/** What reads texts and bytes of others, each with what must be true of it. Besides SvcError, none may throw anything that it does not name. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTime, UTC } from '../../src/cli/time.ts';
import { formatDuration, parseDuration } from '../../src/duration.ts';
import { SvcError } from '../../src/errors.ts';
import {
  formatMatcher,
  type Matcher,
  parseClassic,
  parseFallback,
  parseMatcherList,
  parseUtf8,
} from '../../src/features/alerts/matcher.ts';
import { parseLabels, parseMatcherArguments } from '../../src/features/alerts/matcher-arguments.ts';
import { readRoutingConfig } from '../../src/features/alerts/routing/config.ts';
import {
  decodePayload,
  PacketFault,
  readMessage,
  readOpening,
} from '../../src/features/trade/gateway/engine-connection.ts';
import { readPush } from '../../src/features/trade/gateway/push.ts';
import { parseTableTime } from '../../src/features/trade/tables/table-time.ts';
import { type DeliveryFormat, type Input, readDeliveries } from '../../src/features/webhooks/captures/formats.ts';
import { headerLines } from '../../src/features/webhooks/captures/headers.ts';
import { recordedDelivery } from '../../src/features/webhooks/captures/recordings.ts';
import type { Delivery } from '../../src/features/webhooks/delivery.ts';
import { recordingLine } from '../../src/features/webhooks/receiver/recording-writer.ts';
import { signatureOf, signingSecret, trimmed, verifySignature } from '../../src/features/webhooks/signature.ts';
import { ArrayItems, JsonFault, parseJson } from '../../src/http/json.ts';
import { JsonLimit, parseJsonText } from '../../src/json-object.ts';
import { parseJournal } from '../../src/store/order-journal.ts';
import * as schemas from '../../src/store/schemas.ts';
import { parseHeaderLine, problemWith, SETTING_KEYS, shownValue, storedValue } from '../../src/store/setting-keys.ts';
import { parseSettings } from '../../src/store/settings.ts';
import { SECRET } from '../features/webhooks/vectors.ts';
import { sentOrder } from '../store/sent-order.ts';
import type { Check } from './guided.ts';

/** As the gateway sends packets: each after its length in UTF-16 units. */
function encodePayload(packets: readonly string[]): string {
  return packets.map((packet) => `${packet.length}:${packet}`).join('');
}

const NOW = Date.UTC(2026, 2, 1, 12);
const CAPTURES = join(import.meta.dirname, '../features/webhooks/captures');
const captures = (...names: readonly string[]): readonly Buffer[] =>
  names.map((name) => readFileSync(join(CAPTURES, name)));

type Refusal = new (...args: never) => Error;

/** What it returned, or undefined where it refused. */
function accepted<T>(read: () => T, ...refusals: readonly Refusal[]): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SvcError || refusals.some((one) => error instanceof one)) return undefined;
    throw error;
  }
}

async function acceptedLater<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}

const asText =
  (check: (text: string) => void): Check =>
  (bytes) =>
    check(bytes.toString());

function checkMatcher(read: (text: string) => Matcher | undefined): (text: string) => void {
  return (text) => {
    const found = accepted(() => read(text));
    if (found?.name && read(formatMatcher(found)) !== undefined) {
      assert.deepEqual(read(formatMatcher(found)), found);
      assert.deepEqual(parseFallback(formatMatcher(found)), found);
    }
  };
}

function checkDeliveries(found: readonly Delivery[]): void {
  for (const { headers, body, source } of found) {
    assert.equal(typeof source, 'string');
    assert(body instanceof Uint8Array);
    for (const pair of headers)
      assert.deepEqual(
        pair.map((one) => typeof one),
        ['string', 'string'],
      );
  }
}

async function deliveriesOf(bytes: Buffer, format: DeliveryFormat, size: number): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  const unusable: string[] = [];
  const input: Input = {
    format,
    signed: false,
    async *chunks(path) {
      if (path !== 'input') throw new SvcError('file_unusable', 'there is no other file');
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
    notice: (text) => assert.equal(typeof text, 'string'),
    unusable: (error) => unusable.push(error.message),
  };
  for await (const batch of readDeliveries('input', input)) {
    if ('pieces' in batch) {
      const pieces: Uint8Array[] = [];
      for await (const piece of batch.pieces) pieces.push(Buffer.from(piece));
      found.push(Buffer.concat(pieces).toString('latin1'));
      continue;
    }
    const all = [...batch];
    checkDeliveries(all);
    found.push(...all);
  }
  return [...found, ...unusable];
}

/** Whole and in pieces alike. */
const capture =
  (format: DeliveryFormat): Check =>
  async (bytes) => {
    const whole = await acceptedLater(() => deliveriesOf(bytes, format, bytes.length || 1));
    const pieces = await acceptedLater(() => deliveriesOf(bytes, format, 1 + (bytes.length >> 2)));
    assert.deepEqual(pieces, whole);
  };

/** What a reader of the whole text and one of its pieces say: both refuse it, or both give the same. */
function checkArray(bytes: Buffer): void {
  const whole = accepted(() => parseJson(bytes), JsonFault);
  const [size] = bytes;
  const pieces = accepted(() => {
    const items = new ArrayItems();
    const found: unknown[] = [];
    const step = 1 + ((size ?? 0) % 7) + (bytes.length >> 6);
    for (let at = 0; at < bytes.length; at += step) found.push(...items.push(bytes.subarray(at, at + step)));
    items.finish();
    return found;
  }, JsonFault);
  // The limits of one item are not those of the whole.
  if (Array.isArray(whole)) assert.deepEqual(pieces, whole);
  if (pieces !== undefined && whole !== undefined) assert(Array.isArray(whole));
}

const SENT = sentOrder('a');
const ANSWERED = { id: 'a', at: '2026-03-02T09:00:01.000Z', outcome: 'accepted', order_ids: ['1'], trade_ids: [] };
const BODY = Buffer.from('{"id":"evt_1"}');
const STAMP = String(NOW / 1000);
const lines = (...all: readonly object[]): string => `${all.map((one) => JSON.stringify(one)).join('\n')}\n`;

/** Searched from each of its characters, it would take seconds. */
const LONG_GAP = ' '.repeat(32_000);

export interface Parser {
  readonly seeds: readonly (string | Buffer)[];
  readonly check: Check;
}

export const PARSERS: Readonly<Record<string, Parser>> = {
  'matchers-classic': {
    seeds: ['a="b"', 'a=~b|c', ' a != "d\\"\\n" ', 'alert:name=b\\'],
    check: asText(checkMatcher(parseClassic)),
  },
  'matchers-utf8': {
    seeds: ['a="b"', '{a=b,}', '"ü \\" x"!~"y\\x41\\u00e9\\U0001f600\\101"', '\u00a0a = b '],
    check: asText(checkMatcher(parseUtf8)),
  },
  matchers: {
    seeds: ['a="b"', '{a="b",c!~"d.*"}', 'Alert name', "a='b'", 'a==b', 'a{b=c}', '[a=b]', 'a=b,c=d', '{a=b'],
    check: asText((text) => {
      for (const acceptsUtf8 of [true, false]) {
        const list = accepted(() => parseMatcherList(text, acceptsUtf8)) ?? [];
        if (list.every(({ name }) => name !== '')) {
          const again = parseMatcherList(`{${list.map(formatMatcher).join(',')}}`, true);
          if (again !== undefined) assert.deepEqual(again, list);
        }
      }
      const all = accepted(() => parseMatcherArguments([text, text])) ?? [];
      if (all.length > 0) assert.deepEqual(parseMatcherArguments(all.map(formatMatcher)), all);
      accepted(() => parseLabels([text]));
    }),
  },
  durations: {
    seeds: ['1h30m', '90s', '2w3d', '1.5h', '250ms', '1y2w3d4h5m6s7ms', '2 hours', '-5 min', '90'],
    check: asText((text) => {
      const ms = accepted(() => parseDuration(text));
      if (ms === undefined) return;
      assert(Number.isSafeInteger(ms) && ms >= 0);
      assert.equal(parseDuration(formatDuration(ms)), ms);
    }),
  },
  times: {
    seeds: [
      ...['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.123+05:30', '2026-03-01', 'in 2h', '2h ago', 'now', '-1d'],
      ...['1767225600', '1767225600000', '18:00', 'tomorrow 02:00', '2026-11-23 02:00', '03012026120000123'],
    ],
    check: asText((text) => {
      for (const bare of ['back', 'forward'] as const) {
        for (const more of [{ zone: () => UTC }, { unix: true, dates: true }]) {
          const found = accepted(() => parseTime(text, { now: NOW, bare, ...more }));
          if (found === undefined) continue;
          assert.equal(new Date(found.ms).toISOString(), found.iso);
          assert.equal(parseTime(found.iso, { now: NOW, bare }).ms, found.ms);
        }
      }
      const ms = parseTableTime(text);
      if (ms !== undefined) assert(Number.isSafeInteger(ms));
    }),
  },
  'signature-headers': {
    seeds: [
      `${STAMP}\nx${LONG_GAP}x `,
      `${STAMP}\n${signatureOf(SECRET, STAMP, BODY)}`,
      `${STAMP}\nv1=abcd`,
      `${STAMP}\n`,
      'x\ny\nz\nw',
    ],
    check: asText((text) => {
      const [stamp = '', signed = '', ...more] = text.split('\n');
      const headers = { timestamps: [stamp, ...more.slice(0, 1)], signatures: [signed, ...more.slice(1, 2)] };
      const clock = { nowS: NOW / 1000, toleranceS: 300 };
      const found = verifySignature(headers, BODY, [signingSecret(SECRET, 'test')], clock);
      const right = signatureOf(SECRET, trimmed(stamp), BODY);
      const isSigned = trimmed(signed).toLowerCase() === right;
      if (found.signatureOk) assert(isSigned && more.length === 0);
      if (found.verdict === 'valid') assert(found.signatureOk && Math.abs(found.ageS ?? 999) <= 300);
    }),
  },
  captures: {
    seeds: readdirSync(CAPTURES).map((name) => readFileSync(join(CAPTURES, name))),
    check: capture('auto'),
  },
  har: { seeds: captures('chromium.har', 'mitmproxy.har'), check: capture('har') },
  'http-dumps': {
    seeds: [
      ...captures('raw.http', 'curl-v.txt'),
      '### x\n# @name y\nPOST http://a/h\nX-Service-Signature: e\n\nb\n\n###\nGET http://g\n',
    ],
    check: capture('http'),
  },
  'captured-json': {
    seeds: captures(
      'ngrok.json',
      'alb.ndjson',
      'api-gateway-v2.ndjson',
      'log-buffer.ndjson',
      'smee.ndjson',
      'nginx-json.log',
    ),
    check: capture('json'),
  },
  recordings: {
    seeds: captures('recording.ndjson'),
    check: async (bytes) => {
      await capture('ndjson')(bytes);
      for (const line of bytes.toString().split('\n')) {
        const found = recordedDelivery(line, 'x');
        if (found === undefined) continue;
        const { headers, body } = found;
        const written = { received_at: '2026-03-01T12:00:00Z', remote: '-', method: 'POST', path: '/' };
        const result = { status: 'valid' as const, event_id: null, event_type: null, duplicate: false };
        const printed = recordingLine({ ...written, ...result, headers, body, forward: null, response: 200 });
        const again = recordedDelivery(printed, 'x');
        assert.deepEqual(again?.headers, headers);
        assert.deepEqual(Buffer.from(again?.body ?? []), Buffer.from(body));
      }
    },
  },
  'engine-packets': {
    seeds: [
      '96:0{"sid":"s","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":5000}2:40',
      ...['6:42["x"]', '14:4212["x","{}"]', '18:44{"message":"no"}', '0{"sid":"s"}', '2:41', 'b4AAEC'],
      '83:42["EUR/USD","{\\"Updated\\":1,\\"Rates\\":[1.1,1.2,1.3,1.0],\\"Symbol\\":\\"EUR/USD\\"}"]',
      '40:42["Order","{\\"t\\":3,\\"action\\":\\"I\\"}"]',
    ],
    check: asText((text) => {
      const packets = accepted(() => decodePayload(text), PacketFault) ?? [];
      assert.deepEqual(decodePayload(encodePayload(packets)), packets);
      for (const packet of [text, ...packets]) {
        accepted(() => readOpening(packet), PacketFault);
        const message = accepted(() => readMessage(packet.slice(1)), PacketFault);
        if (message?.kind === 'event') readPush(message.name, message.payload);
        else if (message?.kind === 'error') assert.equal(typeof message.text, 'string');
      }
    }),
  },
  'journal-lines': {
    seeds: [
      lines(SENT, ANSWERED),
      lines({ ...SENT, owner: { pid: 1, host: 'h', place: 'p', start: 's', nonce: 'n' } }),
    ],
    check: asText((text) => {
      const { entries: before } = parseJournal(text, schemas);
      // An appended line is read after any other content.
      const { entries: after } = parseJournal(`${text}\n${lines({ ...SENT, id: 'the next one' })}`, schemas);
      assert.equal(after.at(-1)?.id, 'the next one');
      if (before.every(({ id }) => id !== 'the next one')) assert.deepEqual(after.slice(0, -1), before);
    }),
  },
  'alertmanager-configurations': {
    seeds: [
      'route:\n  receiver: a\n  group_by: [b]\n  routes:\n  - matchers: [c="d"]\n    continue: true\nreceivers:\n- name: a\n',
      'route: {receiver: a}\nreceivers: [{name: a}]\ninhibit_rules:\n- source_match: {a: b}\n  target_match_re: {c: d.*}\n  equal: [e]\n',
      'time_intervals:\n- name: n\n  time_intervals:\n  - times: [{start_time: "09:00", end_time: "17:00"}]\n    weekdays: [monday:friday]\n    days_of_month: ["-3:-1"]\n    months: [january:march]\n    years: ["2026"]\n    location: Europe/Berlin\n',
      '? [a]\n: b\nx: &y: z\n<<: *y\n',
    ],
    check: async (bytes) => {
      const text = bytes.toString();
      const found = await acceptedLater(() => readRoutingConfig(text));
      if (found !== undefined && 'problems' in found) {
        assert(found.problems.length > 0);
        for (const { line, column } of found.problems) assert(line > 0 && column > 0);
      }
    },
  },
  'header-lines': {
    seeds: [
      `a: x${LONG_GAP}x `,
      'X-Scope-OrgID: blue',
      'a:b\r\n c: d\r\n',
      'POST / HTTP/1.1\nA: b\n',
      '{"a":"b"}',
      '[["a","b"]]',
    ],
    check: (bytes) => {
      const text = bytes.toString();
      const line = parseHeaderLine(text);
      if (line !== undefined) assert.deepEqual(parseHeaderLine(line.join(': ')), line);
      // A folded line may leave spaces around a value, which are not part of it.
      const named = headerLines(text).flatMap(([name, value]) => (name === '' ? [] : [[name, trimmed(value)]]));
      assert.deepEqual(headerLines(named.map((pair) => `${pair.join(': ')}\r\n`).join('')), named);
    },
  },
  settings: {
    seeds: [
      lines({ profile: 'p', profiles: { default: { 'alerts.author': 'ann' }, p: { 'alerts.url': 'https://a' } } }),
      `a:${'/'.repeat(32_000)}`,
      '{"profiles":{"default":{"alerts.headers":["X: y"],"trade.tokenCommand":["pass","show"]}}}',
      ...[
        'https://a.example.com',
        '["pass", "show", "am"]',
        'critical,warning',
        '250.50',
        'X-Scope-OrgID: blue',
        '@/f',
      ],
    ],
    check: (bytes) => {
      const document = accepted(() => parseSettings(bytes, 'settings.json'));
      if (document !== undefined) {
        assert.deepEqual(parseSettings(Buffer.from(JSON.stringify(document)), 'settings.json'), document);
      }
      const text = bytes.toString();
      for (const setting of SETTING_KEYS) {
        problemWith(setting, text);
        shownValue(setting, text);
        storedValue(setting, text);
      }
    },
  },
  json: {
    seeds: [
      '[]',
      '[1,"a",{"b":[null]}]',
      '\ufeff[1 , 2]',
      ' [[],{}] \n',
      '["\\"\\\\",true]',
      '{"a":1}',
      '[1,]',
      '12345678901234567890',
    ],
    check: (bytes) => {
      checkArray(bytes);
      const text = bytes.toString();
      const found = accepted(() => ({ value: parseJsonText(text) }), SyntaxError);
      // It refuses more, and nothing else.
      if (found !== undefined) assert.deepEqual(found.value, JSON.parse(text));
      else {
        const mine = accepted(() => ({ value: JSON.parse(text) as unknown }), SyntaxError);
        if (mine !== undefined) assert.throws(() => parseJsonText(text), JsonLimit);
      }
    },
  },
};
