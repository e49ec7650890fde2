/** An event as a table. Its untrusted texts stay in lines of their column and are not rendered. */
import { isObject } from '../../json-object.ts';
import type { Cell, Column, ListOutput, RecordOutput } from '../../output/types.ts';
import { asEvent, type ReadEvent } from './delivery.ts';
import type { Verdict } from './signature.ts';

type EventValue = ReadEvent['value'];

/** `unsigned`: an event alone, without a signature. `unchecked`: no secret was given. */
export type EventVerdict = Verdict | 'unsigned' | 'unchecked';

/** What is known about the signature of a shown event. */
type VerdictOf = (value: EventValue) => { readonly verdict: EventVerdict; readonly secret: string | undefined };

export function eventRecord(verdictOf: VerdictOf): RecordOutput<EventValue> {
  return { kind: 'record', columns: makeColumns(verdictOf), id };
}

export function eventList(verdictOf: VerdictOf): ListOutput<EventValue> {
  const all = makeColumns(verdictOf);
  const wide = all.filter(({ name }) => !NARROW.has(name)).map((column) => ({ ...column, wide: true }) as const);
  return { kind: 'list', columns: [...all.filter(({ name }) => NARROW.has(name)), ...wide], id };
}

const NARROW = new Set(['id', 'type', 'created', 'signature', 'title', 'duration']);

function id(value: EventValue): string {
  return asEvent(value)?.id ?? '';
}

function makeColumns(verdictOf: VerdictOf): readonly Column<EventValue>[] {
  const event = (read: (event: ReadEvent) => Cell) => (value: EventValue) => {
    const found = asEvent(value);
    return found && read(found);
  };
  return [
    { name: 'id', cell: event((found) => found.id ?? '-') },
    { name: 'type', cell: event(({ type }) => type ?? '-') },
    { name: 'created', cell: event(({ created_at: created }) => created && { time: created }) },
    { name: 'signature', cell: (value) => signatureCell(verdictOf(value)) },
    ...DATA_FIELDS.map(({ name, field, cell, shrinks }): Column<EventValue> => {
      const read = event(({ data }) => cell(data[field]));
      return shrinks === true ? { name, cell: read, shrinks } : { name, cell: read };
    }),
    { name: 'data', cell: event(({ data }) => otherFields(data)) },
  ];
}

interface DataField {
  readonly name: string;
  readonly field: string;
  /** Undefined if the value is missing or invalid. */
  readonly cell: (value: unknown) => Cell;
  readonly shrinks?: true;
}

/** The data of doc 2 §2, all of it optional. */
const DATA_FIELDS: readonly DataField[] = [
  { name: 'audio', field: 'audio_id', cell: word },
  { name: 'report', field: 'report_id', cell: word },
  { name: 'status', field: 'status', cell: word },
  { name: 'title', field: 'title', cell: text, shrinks: true },
  {
    name: 'duration',
    field: 'duration_ms',
    cell: (value) => (isAmount(value) ? formatClock(value / 1000) : undefined),
  },
  {
    name: 'recorded',
    field: 'recorded_at',
    cell: (value) => (typeof value === 'string' ? { time: value } : undefined),
  },
  { name: 'transcript', field: 'transcript', cell: transcriptCell },
  { name: 'summaries', field: 'summaries', cell: summariesCell },
];

/** Unknown or invalid fields. */
function otherFields(data: ReadEvent['data']): Cell {
  const others = Object.entries(data).filter(([name, value]) => {
    const known = DATA_FIELDS.find(({ field }) => field === name);
    return value !== undefined && known?.cell(value) === undefined;
  });
  return others.length === 0 ? undefined : others.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}

function signatureCell({ verdict, secret }: ReturnType<VerdictOf>): Cell {
  if (verdict === 'valid') return { text: `valid, secret ${secret}`, tone: 'good' };
  if (verdict === 'unsigned') return { text: 'none: not a delivery', tone: 'dim' };
  if (verdict === 'unchecked') return { text: 'not verified: no secret', tone: 'warn' };
  return { text: `INVALID: ${verdict}`, tone: 'bad' };
}

/** Segments, or the text without them. */
function transcriptCell(value: unknown): Cell {
  if (!isObject(value)) return undefined;
  const { truncated } = value;
  const shownText = text(value['text']) ?? '';
  const language = word(value['language']);
  const segments = Array.isArray(value['segments']) ? (value['segments'] as unknown[]) : [];
  const about = [
    `${[...shownText].length} characters`,
    ...(language === undefined ? [] : [`language ${language}`]),
    ...(truncated === true ? ['truncated by the service'] : []),
    ...(segments.length === 0 ? [] : [`${segments.length} segments`]),
  ].join(', ');
  const head: Cell = { text: about, tone: truncated === true ? 'warn' : 'dim' };
  return [head, ...(segments.length === 0 ? splitLines(shownText) : segments.map(formatSegment))];
}

function formatSegment(value: unknown): string {
  const segment = isObject(value) ? value : { text: value };
  const start = isAmount(segment['start']) ? formatClock(segment['start']) : '--:--';
  return `${start} ${word(segment['speaker']) ?? '-'}: ${toText(segment['text'] ?? '')}`;
}

function summariesCell(value: unknown): Cell {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((one: unknown, index): Cell[] => {
    const summary = isObject(one) ? one : { content: one };
    const template = word(summary['template_name']);
    const about = `format: ${word(summary['format']) ?? '-'}${template === undefined ? '' : `, template: ${template}`}`;
    return [
      ...(index === 0 ? [] : ['']),
      { text: `${word(summary['label']) ?? '-'} (${about})`, tone: 'strong' },
      ...splitLines(toText(summary['content'] ?? '')),
    ];
  });
}

/** Line by line, so that lines fit the terminal and none can be mistaken for another field. */
function splitLines(shownText: string): readonly string[] {
  return shownText.trimEnd().split(/\r?\n/);
}

/** `00:12`, `1:02:05` */
function formatClock(time: number): string {
  const whole = Math.floor(time);
  const hours = Math.floor(whole / 3600);
  return `${hours > 0 ? `${hours}:` : ''}${padTwo(Math.floor(whole / 60) % 60)}:${padTwo(whole % 60)}`;
}

function padTwo(number: number): string {
  return String(number).padStart(2, '0');
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** An id or a status is the same thing as a number. */
export function word(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : text(value);
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
