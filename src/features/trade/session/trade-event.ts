/** What `trade session` prints: one object for each line of `-o ndjson`. The reference has these as a JSON schema. */
import * as z from 'zod/mini';

const orderIds = z.array(z.string()).check(z.describe('Ids of orders at the gateway'));
const nullableText = z.nullable(z.string());
const line = z.int().check(z.describe('The number of the line of input, from 1'));
const serverCode = z
  .nullable(z.union([z.string(), z.number()]))
  .check(z.describe("The gateway's own code, if it gave one"));
const journalId = z.nullable(z.string()).check(z.describe('Its entry in svc trade journal'));
const instant = z.string().check(z.describe('RFC 3339 in UTC'));
const trades = z.array(
  z.object({
    tradeId: z.string(),
    amountK: z.nullable(z.number()),
    rate: z.nullable(z.number()),
    time: nullableText,
  }),
);
const ended = { order_ids: orderIds, trades, closed_trades: trades, reason: nullableText };
const failed = {
  server_code: z.optional(serverCode),
  line: z.optional(line),
  journal_id: z.optional(journalId),
  message: z.optional(nullableText),
  ...optional(ended),
};

/** The fields of each event besides event, id and at. */
export const EVENT_FIELDS = {
  ready: {},
  accepted: { command: z.string(), order_ids: orderIds },
  filled: ended,
  partly_filled: ended,
  open: { order_ids: orderIds, reason: z.optional(nullableText) },
  closed: ended,
  refused: { code: z.string(), ...failed },
  unknown: { code: z.optional(z.string()), ...failed },
  settled: {
    outcome: z.enum(['filled', 'open', 'absent', 'done']),
    journal_id: z.string(),
    order_ids: orderIds,
    trades,
    message: z.string(),
  },
  result: { command: z.string(), value: z.unknown(), code: nullableText },
  push: {
    kind: z.enum(['I', 'U', 'D', 'price', 'other']),
    table: nullableText,
    key: nullableText,
    data: z.unknown(),
  },
  gap: { from: instant, to: instant, reason: z.string(), subscriptions: z.array(z.string()) },
  heartbeat: { reachable: z.boolean(), in_flight: z.int(), open: z.int() },
  unreachable: { code: z.string(), reason: z.string() },
  recovered: {},
  ended: { open: z.array(z.object({ id: nullableText, order_ids: orderIds })) },
} as const;

function optional<const F extends Readonly<Record<string, z.core.$ZodType>>>(fields: F) {
  const entries = Object.entries(fields).map(([name, field]) => [name, z.optional(field)]);
  return Object.fromEntries(entries) as { readonly [N in keyof F]: z.ZodMiniOptional<F[N]> };
}

/** Any event. */
export function eventSchema() {
  const common = {
    id: nullableText.check(z.describe('Of the command that it belongs to; null if it belongs to none')),
    at: instant,
  };
  const events = Object.entries(EVENT_FIELDS).map(([name, fields]) =>
    z.object({ event: z.literal(name), ...common, ...fields }),
  );
  return z.union(events);
}
