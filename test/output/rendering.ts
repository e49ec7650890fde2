/** What the tests of the renderings share: a stream that keeps what is written, and options to vary. */
import type { OutStream } from '../../src/context.ts';
import { type Rendered, render } from '../../src/output/render.ts';
import type { AnyOutput, ListOutput, OutputOptions, RecordOutput } from '../../src/output/types.ts';

/** Written from the rule, not from the code: what a terminal obeys or does not show. */
export const FORBIDDEN =
  /\u034f|[\u180b-\u180d\u180f]|[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{13430}-\u{1343f}\u{e0000}-\u{e0fff}]|\p{Cs}/u;

export class MemoryStream implements OutStream {
  readonly isTTY = false;
  readonly columns = undefined;
  readonly colorDepth = 0;
  closed = false;
  readonly writes: string[] = [];

  async write(chunk: string | Uint8Array): Promise<void> {
    if (!this.closed) this.writes.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
  }

  get text(): string {
    return this.writes.join('');
  }
}

export const NOW = Date.parse('2026-03-01T12:00:00Z');

export function options(changes: Partial<OutputOptions> = {}): OutputOptions {
  return {
    format: 'table',
    fields: undefined,
    query: undefined,
    columns: undefined,
    headers: true,
    sort: undefined,
    limit: undefined,
    time: 'utc',
    color: 0,
    width: undefined,
    canvas: 80,
    ascii: false,
    now: NOW,
    ...changes,
  };
}

export async function rendering(
  value: unknown,
  output: AnyOutput,
  changes: Partial<OutputOptions> = {},
): Promise<Rendered & { readonly text: string }> {
  const sink = new MemoryStream();
  const rendered = await render(value, output, options(changes), sink);
  return { ...rendered, text: sink.text };
}

export interface Alert {
  readonly fingerprint: string;
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly receivers: readonly string[];
  readonly value: number | null;
  readonly startsAt: string;
  readonly summary: string;
}

const COLUMNS: ListOutput<Alert>['columns'] = [
  {
    name: 'state',
    cell: ({ state }) => ({ text: state, tone: state === 'active' ? 'bad' : 'dim' }),
  },
  { name: 'alertname', cell: ({ labels }) => labels['alertname'] },
  { name: 'value', cell: ({ value }) => value, align: 'right' },
  { name: 'summary', cell: ({ summary }) => summary, shrinks: true },
  { name: 'since', cell: ({ startsAt }) => ({ time: startsAt }) },
  { name: 'receivers', cell: ({ receivers }) => receivers },
  { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint, wide: true },
];

export const ALERTS: ListOutput<Alert> = {
  kind: 'list',
  columns: COLUMNS,
  families: { label: (name) => ({ name: `label:${name}`, cell: ({ labels }) => labels[name] }) },
  id: ({ fingerprint }) => fingerprint,
};

export const ALERT: RecordOutput<Alert> = { kind: 'record', columns: COLUMNS, id: ({ fingerprint }) => fingerprint };

export function alert(changes: Partial<Alert> = {}): Alert {
  return {
    fingerprint: 'f00d',
    state: 'active',
    labels: { alertname: 'DiskFull', instance: 'db1' },
    receivers: ['team-a', 'team-b'],
    value: 93.5,
    startsAt: '2026-03-01T11:57:00Z',
    summary: 'the disk is nearly full',
    ...changes,
  };
}

export async function* arriving<T>(items: Iterable<T>): AsyncGenerator<T> {
  for (const item of items) {
    await Promise.resolve();
    yield item;
  }
}
