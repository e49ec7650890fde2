/** What `svc trade stream` prints of an event: for scripts, with the record exactly as the gateway sent it. */

import { readPush } from './gateway/push.ts';
import type { Outage } from './gateway/reconnecting.ts';
import type { SessionEvent } from './gateway/session.ts';
import { MODELS, type ModelName } from './models.ts';

/** A row of a table that was read. */
export interface SnapshotRow {
  readonly kind: 'snapshot';
  readonly model: ModelName;
  readonly row: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** Insert, update and delete are the gateway's own letters. */
export type StreamKind = 'I' | 'U' | 'D' | 'price' | 'other' | 'snapshot' | 'gap' | Outage['kind'];

export class StreamEvent {
  /** The time of arrival by our clock: RFC 3339. */
  readonly ts: string;
  readonly kind: StreamKind;
  readonly table: ModelName | null;
  /** Identifies a row in its table; for a price the symbol, for anything else the name of the push. */
  readonly key: string | null;
  readonly data: unknown;
  /** The parsed `data`, if it was parsed. */
  readonly #text: string | undefined;

  constructor(
    at: number,
    kind: StreamKind,
    { table, key }: { readonly table?: ModelName; readonly key?: string | undefined },
    data: unknown,
    text?: string,
  ) {
    this.ts = new Date(at).toISOString();
    this.kind = kind;
    this.table = table ?? null;
    this.key = key ?? null;
    this.data = data;
    this.#text = text;
  }

  /** In one line. Numbers keep their digits and records their order, because nothing is parsed and serialized again. */
  get json(): string {
    const { ts, kind, table, key, data } = this;
    const text = this.#text === undefined ? JSON.stringify(data) : inOneLine(this.#text);
    return `{"ts":"${ts}","kind":"${kind}","table":${table === null ? 'null' : `"${table}"`},"key":${JSON.stringify(key)},"data":${text}}`;
  }
}

const LINE_BREAKS = /[\t\n\r]/g;

/** In valid JSON, where they can only be between tokens. */
function inOneLine(json: string): string {
  return json.search(LINE_BREAKS) < 0 ? json : json.replace(LINE_BREAKS, ' ');
}

/** Null for an event that is not printed. */
export function streamEvent(event: SessionEvent | SnapshotRow): StreamEvent | null {
  switch (event.kind) {
    case 'push':
      return pushedEvent(event);
    case 'snapshot':
      return snapshotEvent(event);
    case 'gap': {
      const { from, to, reason } = gapLine(event);
      return new StreamEvent(event.to, 'gap', {}, { from, to, reason });
    }
    case 'connected':
    case 'closed':
      return null;
    default:
      return new OutageEvent(event);
  }
}

function pushedEvent({ name, payload, at }: Extract<SessionEvent, { kind: 'push' }>): StreamEvent {
  const push = readPush(name, payload);
  // Not JSON, which does occur.
  if (push === undefined) return new StreamEvent(at, 'other', { key: name }, payload);
  const { record } = push;
  if (push.kind === 'price') return new StreamEvent(at, 'price', { key: push.symbol }, record, payload);
  if (push.kind === 'other') return new StreamEvent(at, 'other', { key: name }, record, payload);
  return new StreamEvent(at, push.action, { table: push.model, key: push.key }, record, payload);
}

function snapshotEvent({ model, row, at }: SnapshotRow): StreamEvent {
  const { key } = MODELS[model];
  const value = key === undefined ? undefined : row[key];
  return new StreamEvent(at, 'snapshot', { table: model, key: value === undefined ? undefined : String(value) }, row);
}

/** An outage, as all streams of svc print it. */
export interface OutageLine {
  readonly event: Outage['kind'];
  readonly at: string;
  readonly reason?: string;
}

export function outageLine(event: Outage): OutageLine {
  const at = new Date(event.at).toISOString();
  return event.kind === 'recovered' ? { event: event.kind, at } : { event: event.kind, at, reason: event.reason };
}

/** Pushes may be missing between the two times. */
export interface GapLine {
  readonly event: 'gap';
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export function gapLine({ from, to, reason }: Extract<SessionEvent, { kind: 'gap' }>): GapLine {
  const end = new Date(to).toISOString();
  return { event: 'gap', at: end, from: new Date(from).toISOString(), to: end, reason };
}

/** The keys of an outage, before those of every line of the stream. */
class OutageEvent extends StreamEvent {
  readonly #line: OutageLine;

  constructor(event: Outage) {
    super(event.at, event.kind, {}, causeOf(event));
    this.#line = outageLine(event);
    Object.assign(this, this.#line);
  }

  override get json(): string {
    return JSON.stringify({ ...this.#line, ...this });
  }
}

function causeOf(event: Outage): object | null {
  if (event.kind === 'unreachable') return { code: event.error.code, reason: event.reason };
  return event.kind === 'stale' ? { reason: event.reason } : null;
}
