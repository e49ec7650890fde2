/** The probes of `webhooks check-receiver`, in order: never ten bad deliveries in a row, after which a receiver may end or block the sender. */
import { createHmac } from 'node:crypto';
import { SUMMARY_COMPLETED, WEBHOOK_PING } from '../sending/sample-event.ts';
import { signatureOf } from '../signature.ts';
import {
  ACCEPTED,
  EITHER,
  eventOf,
  NO_REDIRECT,
  PARSED,
  type Probe,
  pingOf,
  REFUSED,
  RULES,
  type Send,
  spelled,
  summaryOf,
  withoutField,
} from './deliveries.ts';

const MIB = 1024 * 1024;
const HOUR_S = 3600;

const RAW_BODY = 'compute the HMAC over the raw bytes of the request, before any parser, trimming or re-encoding';
const NOT_REQUIRED = 'require nothing but data.audio_id, and check every other field before you use it';
const LARGER_BODIES = 'raise the limit for request bodies above 2 MiB';
const HEX_ONLY = 'accept "sha256=" and hexadecimal digits only';
const WHOLE_SIGNATURE =
  'compare the whole header with "sha256=" and the 64 hexadecimal digits you computed: check that both are equally long, then compare in constant time';

const SUMMARY_FIELDS = ['report_id', 'status', 'title', 'duration_ms', 'recorded_at', 'transcript', 'summaries'];
const NESTED_FIELDS = ['transcript.language', 'transcript.segments', 'summaries.0.template_name'];

const ping = pingOf();
const summary = summaryOf();
const digits = (signature: string): string => signature.slice('sha256='.length);

type Spell = Parameters<typeof spelled>[1];
type Alter = NonNullable<NonNullable<Send[2]>['alter']>;

/** A correctly signed ping whose JSON is written in another way. */
function spelling(name: string, what: string, spell: Spell, data = {}, expected = ACCEPTED): Probe {
  const sends: readonly Send[] = [[`a correctly signed event whose JSON has ${what}`, spelled(pingOf(data), spell)]];
  return { name, expected, rule: RULES.bytes, fix: RAW_BODY, sends };
}

/** Pings with only a part of the right signature. */
function notWhole(name: string, ...alters: readonly (readonly [string, Alter])[]): Probe {
  return badSignature(name, RULES.comparison, WHOLE_SIGNATURE, ...alters);
}

/** Pings with another signature header. */
function badSignature(
  name: string,
  rule: string,
  fix: string,
  ...alters: readonly (readonly [string, Alter])[]
): Probe {
  return { name, expected: REFUSED, rule, fix, sends: alters.map(([sent, alter]) => [sent, ping, { alter }]) };
}

export const PROBES: readonly Probe[] = [
  {
    name: 'valid-ping',
    expected: { ...ACCEPTED, text: '2xx in 5 s' },
    rule: RULES.respond,
    fix: 'accept webhook.ping like any event, and check that the receiver has this secret and the right path',
    sends: [['a correctly signed webhook.ping', ping]],
  },
  {
    name: 'valid-summary',
    rule: RULES.respond,
    fix: 'respond before you process the event, and treat the body as UTF-8',
    sends: [['a correctly signed summary.completed with all fields', summary]],
  },
  {
    name: 'minimal-event',
    rule: RULES.optional,
    fix: NOT_REQUIRED,
    sends: [
      ['a summary.completed whose data has audio_id and nothing else', summaryOf(({ audio_id }) => ({ audio_id }))],
    ],
  },
  {
    name: 'optional-fields',
    rule: RULES.optional,
    fix: NOT_REQUIRED,
    sends: [...SUMMARY_FIELDS, ...NESTED_FIELDS].map((path) => [
      `a summary.completed without data.${path}`,
      summaryOf((data) => withoutField(data, path)),
    ]),
  },
  {
    name: 'summary-formats',
    rule: RULES.formats,
    fix: 'treat a format that you do not know as plain text',
    sends: ['html', 'asciidoc'].map((format) => [
      `a summary in the format ${format}`,
      summaryOf((data) => ({ ...data, summaries: [{ label: 'Summary', content: '<b>Notes</b>', format }] })),
    ]),
  },
  {
    name: 'time-formats',
    rule: RULES.times,
    fix: 'parse created_at as ISO 8601: with or without a fraction, Z or an offset',
    sends: ['.125Z', '+00:00'].map((end) => [
      `a ping whose created_at ends in ${end}`,
      eventOf(WEBHOOK_PING, (event) => ({ ...event, created_at: event.created_at.replace('Z', end) })),
    ]),
  },
  {
    name: 'unknown-type',
    rule: RULES.respond,
    fix: 'respond 2xx to event types that you do not know, and ignore them',
    sends: [['an event of the type recording.archived, which does not exist yet', eventOf('recording.archived')]],
  },
  {
    name: 'unknown-fields',
    rule: RULES.respond,
    fix: 'ignore fields that you do not know',
    sends: [
      [
        'a summary.completed with fields that do not exist yet',
        eventOf(SUMMARY_COMPLETED, (event) => {
          const more = { api_version: 2, links: null };
          return { ...event, ...more, data: { ...event.data, chapters: [{ title: 'Opening', start: 0 }] } };
        }),
      ],
    ],
  },
  {
    name: 'same-event-twice',
    expected: { ...ACCEPTED, text: '2xx, both times' },
    rule: RULES.duplicates,
    fix: 'respond 2xx to an event id that you have processed already, and do nothing else',
    sameEvent: true,
    sends: [
      ['a summary.completed for the first time', summary],
      ['the same event id again, in a new delivery', summary],
    ],
  },
  spelling('body-blanks', 'spaces, tabs and newlines inside', (json) =>
    json.replace(/([{,:])"/g, '$1 \t"').replace('}', '\n }'),
  ),
  spelling('body-trimming', 'a line feed before it and CRLF after it', (json) => `\n${json}\r\n`),
  spelling('body-numbers', 'the numbers 1.0 and 1e1', (json) => json.replace('"start":1', '"start":1.0,"end":1e1'), {
    start: 1,
  }),
  spelling(
    'body-escapes',
    'the escapes \\u0041, \\u00e9 and \\/',
    (json) => json.replace('"note":"A"', '"note":"\\u0041\\u00e9\\/"'),
    { note: 'A' },
  ),
  spelling('body-key-order', 'its keys in another order, "10" before "9"', (_, { id, type, created_at }) => {
    const [head, time] = [JSON.stringify({ type }).slice(1, -1), JSON.stringify({ id, created_at }).slice(1, -1)];
    return `{"data":{"b":1,"a":2,"10":3,"9":4},${head},${time}}`;
  }),
  spelling(
    'body-duplicate-keys',
    'a duplicate key',
    (json) => json.replace('"note":"A"', '"note":"A","note":"A"'),
    { note: 'A' },
    PARSED,
  ),
  {
    name: 'not-utf8',
    expected: EITHER,
    rule: RULES.bytes,
    fix: 'catch the errors of your decoder and parser, and respond 400',
    sends: [
      [
        'a correctly signed body that is not UTF-8',
        spelled(pingOf({ text: '?' }), (json) => Buffer.from(json.replace('"?"', '"\xff\xfe"'), 'latin1')),
      ],
    ],
  },
  {
    name: 'body-1-mib',
    rule: RULES.size,
    fix: LARGER_BODIES,
    sends: [['a summary.completed of 1 MiB', eventOf(SUMMARY_COMPLETED, undefined, MIB)]],
  },
  {
    name: 'large-body',
    rule: RULES.excess,
    fix: LARGER_BODIES,
    sends: [['a summary.completed of 2 MiB', eventOf(SUMMARY_COMPLETED, undefined, 2 * MIB)]],
  },
  {
    name: 'bad-signature',
    expected: REFUSED,
    rule: RULES.signature,
    fix: WHOLE_SIGNATURE,
    sends: [
      ['a signature whose last digit is wrong', ping, { alter: otherSignature }],
      ['a signature whose first digit is wrong', ping, { alter: otherFirstDigit }],
      ['a signature of 64 zeros', ping, { alter: () => `sha256=${'0'.repeat(64)}` }],
      ['a timestamp one second later than the signed one', ping, { headerSkewS: 1 }],
    ],
  },
  notWhole(
    'signature-empty',
    ['X-Service-Signature: sha256= and no digits: anyone can send that', () => 'sha256='],
    ['an empty X-Service-Signature', () => ''],
    ['X-Service-Signature: sha256, without "="', () => 'sha256'],
  ),
  notWhole('signature-short', ['X-Service-Signature: sha256=00', () => 'sha256=00']),
  {
    name: 'no-redirect',
    expected: NO_REDIRECT,
    rule: RULES.redirects,
    fix: 'respond at this address, or subscribe the address that it redirects to',
    sends: [['a correctly signed ping', ping]],
  },
  badSignature(
    'signature-prefix',
    RULES.signature,
    `${HEX_ONLY}, and always compute HMAC-SHA256`,
    ['the digits of the right signature without sha256=', digits],
    [
      'sha1= and an HMAC-SHA1 with the right secret',
      (_, { key, timestamp, body }) =>
        `sha1=${createHmac('sha1', key).update(`${timestamp}.`).update(body).digest('hex')}`,
    ],
    ['the right digits after sha1=', (signature) => `sha1=${digits(signature)}`],
  ),
  badSignature(
    'signature-input',
    RULES.headers,
    'compute the HMAC over the timestamp, "." and the raw body, and leave out secrets that are empty',
    [
      'a signature of the body alone, which anyone can replay with a new timestamp',
      (_, { key, body }) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
    ],
    [
      'a signature of the timestamp and the body without "." between them',
      (_, { key, timestamp, body }) =>
        `sha256=${createHmac('sha256', key).update(timestamp).update(body).digest('hex')}`,
    ],
    [
      'a signature made with an empty secret: anyone can send that',
      (_, { timestamp, body }) => signatureOf('', timestamp, body),
    ],
  ),
  {
    name: 'truncated-transcript',
    rule: RULES.truncated,
    fix: 'accept a transcript whose truncated is true and that has no segments',
    sends: [
      [
        'a summary.completed whose transcript is truncated',
        summaryOf((data) => ({ ...data, transcript: { language: 'en', text: 'Good morn', truncated: true } })),
      ],
    ],
  },
  notWhole(
    'signature-truncated',
    ['the first digit of the right signature alone', (signature) => signature.slice(0, 8)],
    ['the right signature without its last two digits', (signature) => signature.slice(0, -2)],
    ['the right signature without its last digit', (signature) => signature.slice(0, -1)],
  ),
  notWhole('signature-long', ['the right signature with two extra digits', (signature) => `${signature}00`]),
  {
    name: 'signature-upper-case',
    expected: EITHER,
    rule: RULES.signature,
    fix: 'refuse a signature that does not match with 401; do not fail',
    sends: [
      [
        'the right signature in upper-case digits',
        ping,
        { alter: (signature) => `sha256=${digits(signature).toUpperCase()}` },
      ],
    ],
  },
  badSignature('signature-base64', RULES.signature, HEX_ONLY, [
    'the right HMAC in base64 after sha256=',
    (signature) => `sha256=${Buffer.from(digits(signature), 'hex').toString('base64')}`,
  ]),
  {
    name: 'missing-signature',
    expected: REFUSED,
    rule: RULES.signature,
    fix: 'refuse a request without X-Service-Signature with 401',
    sends: [['a ping without X-Service-Signature', ping, { without: /-signature$/i }]],
  },
  {
    name: 'missing-timestamp',
    expected: REFUSED,
    rule: RULES.timestamp,
    fix: 'refuse a request without X-Service-Timestamp with 401',
    sends: [['a ping without X-Service-Timestamp', ping, { without: /-timestamp$/i }]],
  },
  {
    name: 'type-mismatch',
    expected: EITHER,
    rule: RULES.headers,
    fix: 'take the type from the signed body, not from X-Service-Event, which is not signed',
    sends: [
      ['a ping with X-Service-Event: summary.completed', ping, { type: SUMMARY_COMPLETED }],
      ['a summary with X-Service-Event: webhook.ping', summary, { type: WEBHOOK_PING }],
    ],
  },
  {
    name: 'stale-timestamp',
    expected: REFUSED,
    rule: RULES.tolerance,
    fix: 'refuse a timestamp that is more than about 5 minutes old with 401',
    sends: [['a correctly signed ping that is one hour old', ping, { skewS: -HOUR_S }]],
  },
  {
    name: 'future-timestamp',
    expected: REFUSED,
    rule: RULES.tolerance,
    fix: 'compare the absolute difference between the timestamp and now: a timestamp in the future stays usable until then',
    sends: [['a correctly signed ping dated one hour ahead', ping, { skewS: HOUR_S }]],
  },
  {
    name: 'shifted-dot',
    expected: REFUSED,
    rule: RULES.timestamp,
    fix: 'accept a timestamp only if all of it is digits, /^\\d+$/: Number() and parseInt() let more through, and part of the body can then move into the header',
    // The signed text is `1767225600.{"a":1.{…}`: cut at another ".", it is part of a body.
    sends: [['the timestamp <now>.{"a":1, signed as it is', ping, { suffix: '.{"a":1' }]],
  },
  {
    name: 'malformed-json',
    expected: { ...REFUSED, text: '4xx, the same as with valid JSON' },
    rule: RULES.order,
    fix: 'verify the signature before anything parses the body, and respond 401 to any bad signature, whatever the body is',
    alike: true,
    sends: [
      ['valid JSON with a bad signature', ping, { alter: otherSignature }],
      ['valid JSON with a bad signature, again', ping, { alter: otherSignature }],
      ['malformed JSON with a bad signature', spelled(ping, (json) => json.slice(0, -1)), { alter: otherSignature }],
      ['valid JSON with a bad signature, once more', ping, { alter: otherSignature }],
    ],
  },
];

/** The same except for its last digit. */
function otherSignature(signature: string): string {
  return signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0');
}

function otherFirstDigit(signature: string): string {
  return `sha256=${digits(signature).startsWith('0') ? '1' : '0'}${digits(signature).slice(1)}`;
}

export const PROBE_NAMES: readonly string[] = PROBES.map(({ name }) => name);
