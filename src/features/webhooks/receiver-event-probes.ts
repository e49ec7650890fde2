/** What the service may send: a receiver must accept all of it (doc 2 §2, §6). */
import {
  eventOf,
  type ProbeEvent,
  type ProbeKit,
  ping,
  signed,
  spelled,
  summary,
  withoutField,
} from './probe-deliveries.ts';
import type { ProbeName } from './probe-names.ts';
import { ACCEPTED, EITHER, NO_REDIRECT, PARSED, type Probe, RULES } from './receiver-rules.ts';
import { eventBytes, SUMMARY_COMPLETED, WEBHOOK_PING } from './sample-event.ts';

const MIB = 1024 * 1024;

const OPTIONAL_FIELDS = [
  'report_id',
  'status',
  'title',
  'duration_ms',
  'recorded_at',
  'transcript',
  'summaries',
  'transcript.language',
  'transcript.segments',
  'summaries.0.template_name',
] as const;

const RAW_BODY = 'compute the HMAC over the raw bytes of the request, before any parser, trimming or re-encoding';
const NOT_REQUIRED = 'require nothing but data.audio_id, and check every other field before you use it';
const LARGER_BODIES = 'raise the limit for request bodies above 2 MiB';

function spelling(name: ProbeName, sent: string, make: (kit: ProbeKit) => ProbeEvent, expected = ACCEPTED): Probe {
  return {
    name,
    expected,
    rule: RULES.bytes,
    fix: RAW_BODY,
    deliveries: (kit) => [signed(kit, `a correctly signed event whose JSON has ${sent}`, make(kit))],
  };
}

export const EVENT_PROBES: readonly Probe[] = [
  {
    name: 'valid-ping',
    expected: { ...ACCEPTED, text: '2xx in 5 s' },
    rule: RULES.respond,
    fix: 'accept webhook.ping like any event, and check that the receiver has this secret and the right path',
    deliveries: (kit) => [signed(kit, 'a correctly signed webhook.ping', ping(kit))],
  },
  {
    name: 'valid-summary',
    expected: ACCEPTED,
    rule: RULES.respond,
    fix: 'respond before you process the event, and treat the body as UTF-8',
    deliveries: (kit) => [signed(kit, 'a correctly signed summary.completed with all fields', summary(kit))],
  },
  {
    name: 'minimal-event',
    expected: ACCEPTED,
    rule: RULES.optional,
    fix: NOT_REQUIRED,
    deliveries: (kit) => [
      signed(
        kit,
        'a summary.completed whose data has audio_id and nothing else',
        summary(kit, ({ audio_id }) => ({ audio_id })),
      ),
    ],
  },
  {
    name: 'optional-fields',
    expected: ACCEPTED,
    rule: RULES.optional,
    fix: NOT_REQUIRED,
    deliveries: (kit) =>
      OPTIONAL_FIELDS.map((path) =>
        signed(
          kit,
          `a summary.completed without data.${path}`,
          summary(kit, (data) => withoutField(data, path)),
        ),
      ),
  },
  {
    name: 'truncated-transcript',
    expected: ACCEPTED,
    rule: RULES.truncated,
    fix: 'accept a transcript whose truncated is true and that has no segments',
    deliveries: (kit) => [
      signed(
        kit,
        'a summary.completed whose transcript is truncated',
        summary(kit, (data) => ({ ...data, transcript: { language: 'en', text: 'Good morn', truncated: true } })),
      ),
    ],
  },
  {
    name: 'summary-formats',
    expected: ACCEPTED,
    rule: RULES.formats,
    fix: 'treat a format that you do not know as plain text',
    deliveries: (kit) =>
      ['html', 'asciidoc'].map((format) =>
        signed(
          kit,
          `a summary in the format ${format}`,
          summary(kit, (data) => ({ ...data, summaries: [{ label: 'Summary', content: '<b>Notes</b>', format }] })),
        ),
      ),
  },
  {
    name: 'time-formats',
    expected: ACCEPTED,
    rule: RULES.times,
    fix: 'parse created_at as ISO 8601: with or without a fraction, Z or an offset',
    deliveries: (kit) => {
      const { event } = ping(kit);
      const seconds = event.created_at.slice(0, -1);
      return [`${seconds}.125Z`, `${seconds}+00:00`].map((created_at) =>
        signed(kit, `a ping whose created_at is ${created_at}`, { event: { ...ping(kit).event, created_at } }),
      );
    },
  },
  {
    name: 'unknown-type',
    expected: ACCEPTED,
    rule: RULES.respond,
    fix: 'respond 2xx to event types that you do not know, and ignore them',
    deliveries: (kit) => [
      signed(
        kit,
        'an event of the type recording.archived, which does not exist yet',
        eventOf(kit, 'recording.archived'),
      ),
    ],
  },
  {
    name: 'unknown-fields',
    expected: ACCEPTED,
    rule: RULES.respond,
    fix: 'ignore fields that you do not know',
    deliveries: (kit) => {
      const { event } = summary(kit, (data) => ({ ...data, chapters: [{ title: 'Opening', start: 0 }] }));
      const more = { ...event, api_version: 2, links: null };
      return [signed(kit, 'a summary.completed with fields that do not exist yet', { event: more })];
    },
  },
  {
    name: 'same-event-twice',
    expected: { ...ACCEPTED, text: '2xx, both times' },
    rule: RULES.duplicates,
    fix: 'respond 2xx to an event id that you have processed already, and do nothing else',
    deliveries: (kit) => {
      const once = summary(kit);
      return [
        signed(kit, 'a summary.completed for the first time', once),
        signed(kit, 'the same event id again, in a delivery of its own', once),
      ];
    },
  },
  {
    name: 'type-mismatch',
    expected: EITHER,
    rule: RULES.headers,
    fix: 'take the type from the signed body, not from X-Service-Event, which is not signed',
    deliveries: (kit) => [
      signed(kit, 'a ping with X-Service-Event: summary.completed', ping(kit), { type: SUMMARY_COMPLETED }),
      signed(kit, 'a summary with X-Service-Event: webhook.ping', summary(kit), { type: WEBHOOK_PING }),
    ],
  },
  spelling('body-blanks', 'blanks, tabs and line ends inside', (kit) =>
    spelled(ping(kit), (json) => json.replace(/([{,:])"/g, '$1 \t"').replace('}', '\n }')),
  ),
  spelling('body-trimming', 'a line feed before and CRLF after', (kit) =>
    spelled(ping(kit), (json) => `\n${json}\r\n`),
  ),
  spelling('body-numbers', 'the numbers 1.0 and 1e1', (kit) =>
    spelled(ping(kit, { start: 1 }), (json) => json.replace('"start":1', '"start":1.0,"end":1e1')),
  ),
  spelling('body-escapes', 'the escapes \\u0041, \\u00e9 and \\/', (kit) =>
    spelled(ping(kit, { note: 'A' }), (json) => json.replace('"note":"A"', '"note":"\\u0041\\u00e9\\/"')),
  ),
  spelling('body-key-order', 'its keys in another order, "10" before "9"', (kit) =>
    spelled(ping(kit), (_, { id, type, created_at }) => {
      const [head, time] = [JSON.stringify({ type }).slice(1, -1), JSON.stringify({ id, created_at }).slice(1, -1)];
      return `{"data":{"b":1,"a":2,"10":3,"9":4},${head},${time}}`;
    }),
  ),
  spelling(
    'body-duplicate-keys',
    'one key twice',
    (kit) => spelled(ping(kit, { note: 'A' }), (json) => json.replace('"note":"A"', '"note":"A","note":"A"')),
    PARSED,
  ),
  {
    name: 'not-utf8',
    expected: EITHER,
    rule: RULES.bytes,
    fix: 'catch the errors of your decoder and parser, and respond 400',
    deliveries: (kit) => {
      const { event } = ping(kit, { text: '?' });
      const text = Buffer.from(eventBytes(event)).toString('latin1');
      const body = Buffer.from(text.replace('"?"', '"\xff\xfe"'), 'latin1');
      return [signed(kit, 'a correctly signed body that is not UTF-8', { event, body })];
    },
  },
  {
    name: 'body-1-mib',
    expected: ACCEPTED,
    rule: RULES.size,
    fix: LARGER_BODIES,
    deliveries: (kit) => [signed(kit, 'a summary.completed of 1 MiB', eventOf(kit, SUMMARY_COMPLETED, MIB))],
  },
  {
    name: 'large-body',
    expected: ACCEPTED,
    rule: RULES.excess,
    fix: LARGER_BODIES,
    deliveries: (kit) => [signed(kit, 'a summary.completed of 2 MiB', eventOf(kit, SUMMARY_COMPLETED, 2 * MIB))],
  },
  {
    name: 'no-redirect',
    expected: NO_REDIRECT,
    rule: RULES.redirects,
    fix: 'respond at this address, or subscribe the address that it redirects to',
    deliveries: (kit) => [signed(kit, 'a correctly signed ping', ping(kit))],
  },
];
