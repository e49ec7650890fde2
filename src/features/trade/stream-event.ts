/** A push as a line for scripts: its time, its kind, and the record exactly as the gateway sent it. */

import { readPush } from './gateway/push.ts';
import type { Outage } from './gateway/reconnecting.ts';
import type { SessionEvent } from './gateway/session.ts';
import type { ModelName } from './models.ts';

/** Insert, update and delete are the gateway's own letters. */
export type StreamKind =
  | 'I'
  | 'U'
  | 'D'
  | 'price'
  | 'other'
  | 'snapshot'
  | 'unreachable'
  | 'stale'
  | 'recovered'
  | 'gap'
  | 'closed';

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
    at: string,
    kind: StreamKind,
    { table, key }: { readonly table?: ModelName; readonly key?: string | undefined },
    data: unknown,
    text?: string,
  ) {
    this.ts = at;
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

/** Undefined for a payload that is not JSON, which does occur. */
export function pushedEvent(name: string, payload: string, at: string): StreamEvent | undefined {
  const push = readPush(name, payload);
  if (push === undefined) return undefined;
  const { record } = push;
  if (push.kind === 'price') return new StreamEvent(at, 'price', { key: push.symbol }, record, payload);
  if (push.kind === 'other') return new StreamEvent(at, 'other', { key: name }, record, payload);
  return new StreamEvent(at, push.action, { table: push.model, key: push.key }, record, payload);
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

/** The keys of an outage, before those of every line of the stream. */
export class OutageEvent extends StreamEvent {
  readonly #line: OutageLine;

  constructor(event: Outage) {
    const line = outageLine(event);
    super(line.at, event.kind, {}, causeOf(event));
    this.#line = line;
    Object.assign(this, line);
  }

  override get json(): string {
    return JSON.stringify({ ...this.#line, ...this });
  }
}

function causeOf(event: Outage): object | null {
  if (event.kind === 'unreachable') return { code: event.error.code, reason: event.reason };
  return event.kind === 'stale' ? { reason: event.reason } : null;
}

/** Pushes are missing, or the connection is lost for good. */
export function connectionEvent(event: Exclude<SessionEvent, Outage | { kind: 'push' }>, at: string): StreamEvent {
  if (event.kind === 'closed')
    return new StreamEvent(at, 'closed', {}, { code: event.error.code, reason: event.reason });
  const { from, to, reason } = event;
  return new StreamEvent(at, 'gap', {}, { from: new Date(from).toISOString(), to: new Date(to).toISOString(), reason });
}
