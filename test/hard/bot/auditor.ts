/**
 * Compares what the gateway did with what svc reported: no order is duplicated, none is unaccounted for, every outage is reported, no
 * close is delayed. It knows commands, requests and events only; all times are those of this process, in milliseconds.
 */
import type { Outage, Received } from './gateway.ts';

/** One line that the bot wrote to the session. */
export interface Command {
  readonly at: number;
  readonly line: Readonly<Record<string, string | number>> & { readonly id: string; readonly command: string };
}

export interface SessionEvent {
  /** When the bot read it. */
  readonly receivedAt: number;
  readonly event: string;
  readonly id: string | null;
  readonly code?: string;
  readonly outcome?: string;
  readonly order_ids?: readonly string[];
  readonly trades?: readonly { readonly tradeId: string }[];
}

export interface JournalRow {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly outcome: string;
  readonly order_ids: readonly string[];
}

export interface Run {
  readonly commands: readonly Command[];
  readonly events: readonly SessionEvent[];
  readonly journal: readonly JournalRow[];
  readonly received: readonly Received[];
  readonly outages: readonly Outage[];
  /** The trades that orders opened. */
  readonly fills: readonly { readonly tradeId: string; readonly orderId: string; readonly at: number }[];
  /** When the input ended: what is younger than five seconds then is not judged. */
  readonly end: number;
}

export interface Finding {
  readonly rule: 'duplicated' | 'unaccounted' | 'misreported' | 'outage' | 'delayed' | 'journal';
  readonly at: number;
  readonly text: string;
}

/** On a machine that does other things everything takes longer. */
const PATIENCE = Number(process.env['SVC_HARD_PATIENCE'] ?? 1);
const SETTLED_WITHIN = 5_000 * PATIENCE;
/** An order that is not there is absent only when it can no longer be executed. */
const ABSENT_WITHIN = 12_000 * PATIENCE;
const OUTAGE_WITHIN = 1_000 * PATIENCE;
/** A refused token is not tried again at once: gateways lock such clients out. */
const RECOVERED_WITHIN = { drop: 5_000 * PATIENCE, restart: 5_000 * PATIENCE, revoked: 60_000 * PATIENCE };
const CLOSE_WITHIN = 1_000 * PATIENCE;

/** What a request is: the command line and the form of one order give the same text. */
export function shapeOfCommand({ line }: Command): string {
  const { command, symbol, amount, rate, trade, order } = line;
  if (command === 'buy' || command === 'sell') return `${command} ${symbol} ${amount}`;
  if (command.startsWith('entry ')) return `${command} ${symbol} ${amount} @ ${rate}`;
  return command === 'close' ? `close ${trade} ${amount}` : `cancel ${order}`;
}

export function shapeOfRequest({ path, form }: Pick<Received, 'path' | 'form'>): string {
  const side = form['is_buy'] === 'true' ? 'buy' : 'sell';
  if (path === '/trading/open_trade') return `${side} ${form['symbol']} ${form['amount']}`;
  if (path === '/trading/create_entry_order') {
    return `entry ${side} ${form['symbol']} ${form['amount']} @ ${Number(form['rate'])}`;
  }
  return path === '/trading/close_trade' ? `close ${form['trade_id']} ${form['amount']}` : `cancel ${form['order_id']}`;
}

export function group<T>(all: readonly T[], key: (one: T) => string | null): Map<string | null, T[]> {
  const groups = new Map<string | null, T[]>();
  for (const one of all) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return groups;
}

export function audit(run: Run): Finding[] {
  return [
    ...auditOrders(run),
    ...auditFills(run),
    ...auditCommands(run),
    ...auditOutages(run),
    ...auditCloses(run),
    ...auditJournal(run),
  ];
}

/** When something that happened at `at` must be known: outages in between, and the time svc then needs to reconnect, do not count. */
function due({ events }: Run, at: number, within = SETTLED_WITHIN): number {
  let from = at;
  let until = at + within;
  for (const { event, receivedAt } of events) {
    if (receivedAt > until) break;
    if (event === 'unreachable') from = Number.POSITIVE_INFINITY;
    if (event === 'recovered') from = Math.max(at, receivedAt);
    until = from + within;
    // What happened just before an outage is settled after it.
    if (event === 'unreachable' && receivedAt < at) until = Number.POSITIVE_INFINITY;
  }
  return until;
}

const ACCOUNTS = ['accepted', 'settled', 'filled', 'partly_filled', 'open', 'closed'];

function* auditOrders(run: Run): Generator<Finding> {
  const commands = group(run.commands, shapeOfCommand);
  for (const [shape, requests] of group(run.received, shapeOfRequest)) {
    const wanted = commands.get(shape)?.length ?? 0;
    const at = requests.at(-1)?.at ?? 0;
    if (requests.length > wanted) {
      yield { rule: 'duplicated', at, text: `${shape}: ${requests.length} requests for ${wanted} commands` };
    }
    const orders = requests.flatMap(({ orderIds }) => orderIds);
    if (orders.length > wanted) {
      yield { rule: 'duplicated', at, text: `${shape}: ${orders.length} orders for ${wanted} commands` };
    }
  }
  const named = new Map<string, SessionEvent>();
  for (const event of run.events) {
    if (!ACCOUNTS.includes(event.event)) continue;
    for (const orderId of event.order_ids ?? []) {
      const first = named.get(orderId);
      if (first === undefined) named.set(orderId, event);
      else if (first.id !== event.id) {
        yield {
          rule: 'misreported',
          at: event.receivedAt,
          text: `order ${orderId} is of both ${first.id} and ${event.id}`,
        };
      }
    }
  }
  // The response to a close need not name its order: its command is settled.
  const settled = group(
    run.events.filter(({ event, outcome }) => event === 'settled' && outcome !== 'absent'),
    ({ id }) => id,
  );
  const settledAt = (shape: string): number =>
    Math.min(...(commands.get(shape) ?? []).flatMap(({ line }) => settled.get(line.id)?.[0]?.receivedAt ?? []));
  const executed = new Set<string>();
  for (const { orderIds, executedAt, form, path } of run.received) {
    for (const orderId of executedAt === undefined ? [] : orderIds) {
      executed.add(orderId);
      const until = due(run, executedAt ?? 0);
      const shape = shapeOfRequest({ path, form });
      const seen = named.get(orderId)?.receivedAt ?? settledAt(shape);
      if (until > run.end || seen <= until) continue;
      const after = seen === Number.POSITIVE_INFINITY ? 'never' : `${Math.round(seen - (executedAt ?? 0))} ms after it`;
      yield { rule: 'unaccounted', at: executedAt ?? 0, text: `order ${orderId} (${shape}): named ${after}` };
    }
  }
  for (const [orderId, { id, event, receivedAt }] of named) {
    if (executed.has(orderId)) continue;
    yield {
      rule: 'misreported',
      at: receivedAt,
      text: `${id}: ${event} order ${orderId}, which the gateway does not have`,
    };
  }
}

function* auditFills(run: Run): Generator<Finding> {
  const reported = new Map<string, number>();
  for (const { trades = [], receivedAt } of run.events) {
    for (const { tradeId } of trades) if (!reported.has(tradeId)) reported.set(tradeId, receivedAt);
  }
  for (const { tradeId, orderId, at } of run.fills) {
    const until = due(run, at);
    const seen = reported.get(tradeId);
    if (until > run.end || (seen !== undefined && seen <= until)) continue;
    const after = seen === undefined ? 'never' : `${Math.round(seen - at)} ms after it`;
    yield { rule: 'unaccounted', at, text: `trade ${tradeId} of order ${orderId}: reported ${after}` };
  }
}

/** What became of each command, as the events say, must be what the gateway did. */
function* auditCommands(run: Run): Generator<Finding> {
  const events = group(run.events, ({ id }) => id);
  const requests = group(run.received, shapeOfRequest);
  for (const [shape, commands] of group(run.commands, shapeOfCommand)) {
    const count = { executed: 0, notExecuted: 0, unknown: 0 };
    let last = 0;
    for (const { line, at } of commands) {
      const own = events.get(line.id) ?? [];
      const first = own.find(({ event }) => ['accepted', 'refused', 'unknown', 'settled'].includes(event));
      const settled = own.find(({ event }) => event === 'settled');
      const until = due(run, at);
      last = Math.max(last, at);
      if (first === undefined || first.receivedAt > until) {
        if (until <= run.end) yield { rule: 'unaccounted', at, text: `${line.id} (${shape}): no outcome in time` };
      } else if (first.event === 'unknown') {
        const isThere = settled !== undefined && settled.outcome !== 'absent';
        const latest = isThere ? until : due(run, at, ABSENT_WITHIN);
        if (latest <= run.end && (settled === undefined || settled.receivedAt > latest)) {
          const after = settled === undefined ? 'never' : `${Math.round(settled.receivedAt - at)} ms after the command`;
          yield { rule: 'unaccounted', at, text: `${line.id} (${shape}): unknown, settled ${after}` };
        }
      }
      const final = first?.event === 'unknown' ? (settled ?? first) : first;
      if (final === undefined || final.event === 'unknown') count.unknown += 1;
      else if (final.event === 'refused' || final.outcome === 'absent') count.notExecuted += 1;
      else count.executed += 1;
    }
    const executed = (requests.get(shape) ?? []).filter(({ executedAt }) => executedAt !== undefined).length;
    if (executed < count.executed || executed > count.executed + count.unknown) {
      const text = `${shape}: executed ${executed} times, reported as ${JSON.stringify(count)}`;
      yield { rule: 'misreported', at: last, text };
    }
  }
}

function* auditOutages({ outages, events, end }: Run): Generator<Finding> {
  for (const { from, to, kind } of outages) {
    // svc may still wait because of an earlier outage.
    const up = events.findLast(({ event, receivedAt }) => receivedAt < to && ['ready', 'recovered'].includes(event));
    const lasting = outages.filter((one) => one.to >= (up?.receivedAt ?? 0) && one.from <= from);
    const until = to + Math.max(...lasting.map((one) => RECOVERED_WITHIN[one.kind]));
    const isLast = !outages.some((other) => other.from > from && other.from < until);
    if (
      isLast &&
      until < end &&
      events.some(({ event, receivedAt }) => event === 'unreachable' && receivedAt >= from)
    ) {
      const back = events.find(({ event, receivedAt }) => event === 'recovered' && receivedAt >= to);
      if (back === undefined || back.receivedAt > until) {
        const after = back === undefined ? 'never' : `${Math.round(back.receivedAt - to)} ms after its end`;
        yield { rule: 'outage', at: to, text: `${kind}: recovered ${after}` };
      }
    }
    if (from + OUTAGE_WITHIN > end) continue;
    const before = events.findLast(
      ({ event, receivedAt }) => receivedAt < from && ['ready', 'unreachable', 'recovered'].includes(event),
    );
    // An outage within an outage is reported already.
    if (before === undefined || before.event === 'unreachable') continue;
    const seen = events.find(({ event, receivedAt }) => event === 'unreachable' && receivedAt >= from);
    if (seen !== undefined && seen.receivedAt - from <= OUTAGE_WITHIN) continue;
    const after = seen === undefined ? 'never' : `${Math.round(seen.receivedAt - from)} ms after it began`;
    yield { rule: 'outage', at: from, text: `${kind}: reported ${after}` };
  }
}

/** Whether the gateway was there all the time around a command, and svc had the time to connect again. */
export function isUndisturbed({ outages }: Run, at: number): boolean {
  return outages.every(({ from, to, kind }) => at < from - CLOSE_WITHIN || at > to + RECOVERED_WITHIN[kind]);
}

/** A close or a cancel is sent at once, whatever limits and tables say. */
function* auditCloses(run: Run): Generator<Finding> {
  const requests = group(run.received, shapeOfRequest);
  const events = group(run.events, ({ id }) => id);
  for (const command of run.commands) {
    const { at, line } = command;
    if (!['close', 'orders cancel'].includes(line.command)) continue;
    if (!isUndisturbed(run, at) || at + CLOSE_WITHIN > run.end) continue;
    const request = requests.get(shapeOfCommand(command))?.find((one) => one.at >= at);
    if (request !== undefined && request.at - at <= CLOSE_WITHIN) continue;
    const answers = events.get(line.id)?.map(({ event, code }) => [event, code].join(' '));
    const after = request === undefined ? `never (${answers?.join()})` : `after ${Math.round(request.at - at)} ms`;
    yield { rule: 'delayed', at, text: `${line.id} (${shapeOfCommand(command)}): sent ${after}` };
  }
}

function* auditJournal({ journal, received }: Run): Generator<Finding> {
  const rows = group(journal, shapeOfRequest);
  const executed = new Set(received.flatMap(({ orderIds }) => orderIds));
  const written = new Set(journal.flatMap((row) => row.order_ids));
  for (const [shape, requests] of group(received, shapeOfRequest)) {
    const own = rows.get(shape) ?? [];
    const at = requests[0]?.at ?? 0;
    if (own.length < requests.length) {
      yield { rule: 'journal', at, text: `${shape}: ${requests.length} requests, ${own.length} rows` };
    }
    const unknown = own.filter(({ outcome }) => ['unknown', 'filled', 'done'].includes(outcome)).length;
    const missing = requests.flatMap(({ orderIds }) => orderIds).filter((orderId) => !written.has(orderId));
    if (missing.length > unknown) yield { rule: 'journal', at, text: `${shape}: no row names ${missing.join()}` };
  }
  for (const orderId of written) {
    if (!executed.has(orderId)) yield { rule: 'journal', at: 0, text: `order ${orderId} is only in the journal` };
  }
}
