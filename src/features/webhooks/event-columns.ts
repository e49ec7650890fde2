/** An event for people. Its texts come from strangers: each is one line or several under its own heading, and never rendered. */
import { isObject } from '../../json-object.ts';
import type { Cell, Column, ListOutput, RecordOutput } from '../../output/types.ts';
import { asEvent, type ReadEvent } from './delivery.ts';
import type { EventVerdict } from './event-input.ts';

/** As the service has it. */
type EventValue = ReadEvent['value'];

export interface EventView {
  /** Texts to their end. */
  readonly full: boolean;
  /** What is known of the signature of an event that is shown. */
  verdictOf(value: EventValue): { readonly verdict: EventVerdict; readonly secret: string | undefined };
}

export function eventRecord(view: EventView): RecordOutput<EventValue> {
  return { kind: 'record', columns: columns(view), id };
}

/** Of several: one line each. */
export function eventList(view: EventView): ListOutput<EventValue> {
  const isNarrow = ({ name }: Column<EventValue>): boolean => NARROW.has(name);
  const all = columns(view).filter(({ name }) => name !== 'signature');
  const signature: Column<EventValue> = { name: 'signature', cell: (value) => shortSignature(view.verdictOf(value)) };
  const wide = all.filter((column) => !isNarrow(column)).map((column) => ({ ...column, wide: true }) as const);
  return { kind: 'list', columns: [...all.filter(isNarrow), signature, ...wide], id };
}

const NARROW = new Set(['id', 'type', 'created', 'title', 'duration']);

function id(value: EventValue): string {
  return asEvent(value)?.id ?? '';
}

function columns({ full, verdictOf }: EventView): readonly Column<EventValue>[] {
  const event = (read: (event: ReadEvent) => Cell) => (value: EventValue) => {
    const found = asEvent(value);
    return found && read(found);
  };
  return [
    { name: 'id', cell: event((found) => found.id ?? '-') },
    { name: 'type', cell: event(({ type }) => type ?? '-') },
    { name: 'created', cell: event(({ created_at: created }) => created && { time: created }) },
    { name: 'signature', cell: (value) => signatureCell(verdictOf(value)) },
    {
      name: 'sample',
      cell: event((found) => (found.id?.startsWith('evt_sample_') ? 'synthetic, made by the service' : undefined)),
    },
    ...DATA_FIELDS.map(({ name, field, cell, flex }): Column<EventValue> => {
      const read = event(({ data, type }) => cell(data[field], full) ?? absent(field, type));
      return flex === true ? { name, cell: read, flex } : { name, cell: read };
    }),
    { name: 'data', cell: event(({ data }) => otherFields(data)) },
  ];
}

interface DataField {
  readonly name: string;
  readonly field: string;
  /** Undefined where the value is missing, or not of the form that it should have. */
  readonly cell: (value: unknown, full: boolean) => Cell;
  readonly flex?: true;
}

/** The data of doc 2 §2, all of it optional. */
const DATA_FIELDS: readonly DataField[] = [
  { name: 'audio', field: 'audio_id', cell: word },
  { name: 'report', field: 'report_id', cell: word },
  { name: 'status', field: 'status', cell: word },
  { name: 'title', field: 'title', cell: text, flex: true },
  { name: 'duration', field: 'duration_ms', cell: (value) => (isAmount(value) ? duration(value) : undefined) },
  {
    name: 'recorded',
    field: 'recorded_at',
    cell: (value) => (typeof value === 'string' ? { time: value } : undefined),
  },
  { name: 'transcript', field: 'transcript', cell: transcriptCell },
  { name: 'summaries', field: 'summaries', cell: summariesCell },
];

/** What is not known here, or is not of the form that it should have. */
function otherFields(data: ReadEvent['data']): Cell {
  const others = Object.entries(data).filter(([name, value]) => {
    const known = DATA_FIELDS.find(({ field }) => field === name);
    return value !== undefined && known?.cell(value, false) === undefined;
  });
  return others.length === 0 ? undefined : others.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}

function signatureCell({ verdict, secret }: ReturnType<EventView['verdictOf']>): Cell {
  if (verdict === 'valid') return { text: `valid, secret ${secret}`, tone: 'good' };
  if (verdict === 'unsigned') return { text: 'none: an event by itself', tone: 'warn' };
  if (verdict === 'unchecked') return { text: 'not verified: no secret', tone: 'warn' };
  return { text: `INVALID: ${verdict}`, tone: 'bad' };
}

function shortSignature({ verdict, secret }: ReturnType<EventView['verdictOf']>): Cell {
  if (verdict === 'valid') return { text: `valid ${secret}`, tone: 'good' };
  if (verdict === 'unsigned') return { text: 'none', tone: 'dim' };
  if (verdict === 'unchecked') return { text: 'not verified', tone: 'warn' };
  return { text: `INVALID ${verdict}`, tone: 'bad' };
}

const NONE: Cell = { text: 'none', tone: 'dim' };

/** The two enrichments of a summary fail independently: one may be there without the other. */
function absent(field: string, type: string | undefined): Cell {
  return type === 'summary.completed' && (field === 'transcript' || field === 'summaries') ? NONE : undefined;
}

const SHOWN_SEGMENTS = 8;
const SHOWN_TRANSCRIPT = 500;
const SHOWN_SUMMARY = 2000;

function transcriptCell(value: unknown, full: boolean): Cell {
  if (!isObject(value)) return undefined;
  const { truncated } = value;
  const shownText = text(value['text']) ?? '';
  const language = word(value['language']);
  const segments = Array.isArray(value['segments']) ? (value['segments'] as unknown[]) : undefined;
  const about = [
    `${count([...shownText].length)} characters`,
    ...(language === undefined ? [] : [`language ${language}`]),
    ...(truncated === true ? ['truncated by the service'] : []),
    // Segments are removed before the text is truncated.
    segments !== undefined
      ? `${count(segments.length)} segments`
      : truncated === true
        ? 'segments removed'
        : 'no segments',
  ].join(', ');
  const head: Cell = { text: about, tone: truncated === true ? 'warn' : 'dim' };
  if (segments === undefined || segments.length === 0) return [head, ...textLines(shownText, full, SHOWN_TRANSCRIPT)];
  const shown = full ? segments : segments.slice(0, SHOWN_SEGMENTS);
  return [
    head,
    ...shown.map((segment) => segmentLine(segment, full)),
    ...more(segments.length - shown.length, 'segments'),
  ];
}

function segmentLine(value: unknown, full: boolean): string {
  const segment = isObject(value) ? value : { text: value };
  const shownText = plain(segment['text'] ?? '');
  const shown = full ? shownText : beginning(shownText, SHOWN_TRANSCRIPT);
  const start = isAmount(segment['start']) ? clock(segment['start']) : '--:--';
  return `${start} ${word(segment['speaker']) ?? '-'}: ${shown}${shown.length < shownText.length ? '…' : ''}`;
}

function summariesCell(value: unknown, full: boolean): Cell {
  if (!Array.isArray(value)) return undefined;
  if (value.length === 0) return NONE;
  return value.flatMap((one: unknown, index): Cell[] => {
    const summary = isObject(one) ? one : { content: one };
    const format = word(summary['format']) ?? '';
    const template = word(summary['template_name']);
    const known = format === 'markdown' || format === 'html' ? format : `other(${format})`;
    const about = `format: ${known}${template === undefined ? '' : `, template: ${template}`}`;
    return [
      ...(index === 0 ? [] : ['']),
      { text: `${word(summary['label']) ?? '-'} (${about})`, tone: 'strong' },
      ...textLines(plain(summary['content'] ?? ''), full, SHOWN_SUMMARY),
    ];
  });
}

/** Line by line, so that the terminal's width is respected and no line can pass for another field. */
function textLines(shownText: string, full: boolean, most: number): Cell[] {
  const shown = full ? shownText : beginning(shownText, most);
  return [...shown.trimEnd().split(/\r?\n/), ...more([...shownText.slice(shown.length)].length, 'characters')];
}

function more(number: number, what: string): Cell[] {
  return number <= 0 ? [] : [{ text: `… ${count(number)} more ${what}; --full shows them`, tone: 'dim' }];
}

/** So many units at most, and no half of a character. */
function beginning(shownText: string, most: number): string {
  const cut = shownText.slice(0, most);
  return /[\ud800-\udbff]$/.test(cut) && cut.length < shownText.length ? cut.slice(0, -1) : cut;
}

function count(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ' ');
}

/** `1h02m05s`, `25s`, `0.4s` */
function duration(ms: number): string {
  if (ms < 1000) return `${ms / 1000}s`;
  const [hours, minutes, seconds] = parts(ms / 1000);
  if (hours > 0) return `${hours}h${two(minutes)}m${two(seconds)}s`;
  return minutes > 0 ? `${minutes}m${two(seconds)}s` : `${seconds}s`;
}

/** `00:12`, `1:02:05` */
function clock(time: number): string {
  const [hours, minutes, seconds] = parts(time);
  return `${hours > 0 ? `${hours}:` : ''}${two(minutes)}:${two(seconds)}`;
}

function parts(time: number): readonly [number, number, number] {
  const whole = Math.floor(time);
  return [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** An id or a status is the same thing as a number. */
function word(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : text(value);
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
