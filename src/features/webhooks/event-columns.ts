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

const SHOWN_SEGMENTS = 8;
const SHOWN_TRANSCRIPT = 500;
const SHOWN_SUMMARY = 2000;

export function eventRecord(view: EventView): RecordOutput<EventValue> {
  return { kind: 'record', columns: columns(view), id };
}

/** Of several: one line each. */
export function eventList(view: EventView): ListOutput<EventValue> {
  const all = columns(view).filter(({ name }) => name !== 'signature');
  const signature: Column<EventValue> = { name: 'signature', cell: (value) => shortSignature(view.verdictOf(value)) };
  return {
    kind: 'list',
    columns: [...all.filter(isNarrow), signature, ...all.filter((column) => !isNarrow(column)).map(widened)],
    id,
  };
}

const NARROW = new Set(['id', 'type', 'created', 'title', 'duration']);

function isNarrow({ name }: Column<EventValue>): boolean {
  return NARROW.has(name);
}

function widened(column: Column<EventValue>): Column<EventValue> {
  return { ...column, wide: true };
}

function id(value: EventValue): string {
  return asEvent(value)?.id ?? '';
}

function columns({ full, verdictOf }: EventView): readonly Column<EventValue>[] {
  const event = (read: (event: ReadEvent) => Cell) => (value: EventValue) => {
    const found = asEvent(value);
    return found && read(found);
  };
  const recorded = (read: (summary: RecordedSummary, type: string | undefined) => Cell) =>
    event(({ data, type }) => read(recordedSummary(data), type));
  return [
    { name: 'id', cell: event((found) => found.id ?? '-') },
    { name: 'type', cell: event(({ type }) => type ?? '-') },
    { name: 'created', cell: event((found) => when(found.created_at)) },
    { name: 'signature', cell: (value) => signatureCell(verdictOf(value)) },
    {
      name: 'sample',
      cell: event((found) => (found.id?.startsWith('evt_sample_') ? 'synthetic, made by the service' : undefined)),
    },
    { name: 'audio', cell: recorded(({ audioId }) => audioId) },
    { name: 'report', cell: recorded(({ reportId }) => reportId) },
    { name: 'status', cell: recorded(({ status }) => status) },
    { name: 'title', cell: recorded(({ title }) => title), flex: true },
    {
      name: 'duration',
      cell: recorded(({ durationMs }) => (durationMs === undefined ? undefined : duration(durationMs))),
    },
    { name: 'recorded', cell: recorded(({ recordedAt }) => when(recordedAt)) },
    { name: 'transcript', cell: recorded(({ transcript }, type) => transcriptCell(transcript, type, full)) },
    { name: 'summaries', cell: recorded(({ summaries }, type) => summariesCell(summaries, type, full)) },
    { name: 'data', cell: recorded(({ others }) => othersCell(others)) },
  ];
}

function when(time: string | undefined): Cell {
  return time === undefined ? undefined : { time };
}

function signatureCell({ verdict, secret }: ReturnType<EventView['verdictOf']>): Cell {
  switch (verdict) {
    case 'valid':
      return { text: `valid, secret ${secret}`, tone: 'good' };
    case 'unsigned':
      return { text: 'none: an event by itself', tone: 'warn' };
    case 'unchecked':
      return { text: 'not verified: no secret', tone: 'warn' };
    default:
      return { text: `INVALID: ${verdict}`, tone: 'bad' };
  }
}

function shortSignature({ verdict, secret }: ReturnType<EventView['verdictOf']>): Cell {
  switch (verdict) {
    case 'valid':
      return { text: `valid ${secret}`, tone: 'good' };
    case 'unsigned':
      return { text: 'none', tone: 'dim' };
    case 'unchecked':
      return { text: 'not verified', tone: 'warn' };
    default:
      return { text: `INVALID ${verdict}`, tone: 'bad' };
  }
}

/** Enrichment fails independently, so that one of the two may be there without the other. */
const NONE: Cell = { text: 'none', tone: 'dim' };

function absent(type: string | undefined): Cell {
  return type === 'summary.completed' ? NONE : undefined;
}

function transcriptCell(transcript: Transcript | undefined, type: string | undefined, full: boolean): Cell {
  if (transcript === undefined) return absent(type);
  const { language, text, truncated, segments } = transcript;
  const about = [
    `${count([...text].length)} characters`,
    ...(language === undefined ? [] : [`language ${language}`]),
    ...(truncated ? ['truncated by the service'] : []),
    // They go before the text is cut.
    segments === undefined ? (truncated ? 'segments removed' : 'no segments') : `${count(segments.length)} segments`,
  ].join(', ');
  const head: Cell = { text: about, tone: truncated ? 'warn' : 'dim' };
  if (segments === undefined || segments.length === 0)
    return [head, ...textLines(text, full ? undefined : SHOWN_TRANSCRIPT)];
  const shown = full ? segments : segments.slice(0, SHOWN_SEGMENTS);
  return [
    head,
    ...shown.map((segment) => segmentLine(segment, full)),
    ...more(segments.length - shown.length, 'segments'),
  ];
}

function segmentLine({ start, speaker, text }: Segment, full: boolean): string {
  const begin = full ? text : beginning(text, SHOWN_TRANSCRIPT);
  return `${start === undefined ? '--:--' : clock(start)} ${speaker ?? '-'}: ${begin}${begin.length < text.length ? '…' : ''}`;
}

function summariesCell(summaries: readonly Summary[] | undefined, type: string | undefined, full: boolean): Cell {
  if (summaries === undefined) return absent(type);
  if (summaries.length === 0) return NONE;
  return summaries.flatMap((summary, index): Cell[] => [
    ...(index === 0 ? [] : ['']),
    { text: summaryHead(summary), tone: 'strong' },
    ...textLines(summary.content, full ? undefined : SHOWN_SUMMARY),
  ]);
}

function summaryHead({ label, format, template }: Summary): string {
  const known = format === 'markdown' || format === 'html';
  const about = [
    `format: ${known ? format : `other(${format ?? ''})`}`,
    ...(template === undefined ? [] : [`template: ${template}`]),
  ];
  return `${label ?? '-'} (${about.join(', ')})`;
}

function othersCell(others: Readonly<Record<string, unknown>>): Cell {
  const entries = Object.entries(others);
  return entries.length === 0 ? undefined : entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}

/** Line by line, so that the terminal's width is kept and no line can pass for another field. */
function textLines(text: string, most: number | undefined): Cell[] {
  const shown = most === undefined ? text : beginning(text, most);
  const lines = shown.split(/\r?\n/);
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop();
  return [...lines, ...more([...text.slice(shown.length)].length, 'characters')];
}

function more(number: number, what: string): Cell[] {
  return number <= 0 ? [] : [{ text: `… ${count(number)} more ${what}; --full shows them`, tone: 'dim' }];
}

/** So many units at most, and no half of a character. */
function beginning(text: string, most: number): string {
  const cut = text.slice(0, most);
  return /[\ud800-\udbff]$/.test(cut) && cut.length < text.length ? cut.slice(0, -1) : cut;
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

interface RecordedSummary {
  readonly audioId: string | undefined;
  readonly reportId: string | undefined;
  readonly status: string | undefined;
  readonly title: string | undefined;
  readonly durationMs: number | undefined;
  readonly recordedAt: string | undefined;
  readonly transcript: Transcript | undefined;
  readonly summaries: readonly Summary[] | undefined;
  /** What is not known here, or is not of the form it should have. */
  readonly others: Readonly<Record<string, unknown>>;
}

interface Transcript {
  readonly language: string | undefined;
  readonly text: string;
  readonly truncated: boolean;
  /** Removed first where a payload gets too long; undefined where there are none. */
  readonly segments: readonly Segment[] | undefined;
}

interface Segment {
  readonly speaker: string | undefined;
  /** Seconds. */
  readonly start: number | undefined;
  readonly text: string;
}

interface Summary {
  readonly label: string | undefined;
  readonly content: string;
  /** `markdown`, `html`, and others to come. */
  readonly format: string | undefined;
  readonly template: string | undefined;
}

function recordedSummary(data: Readonly<Record<string, unknown>>): RecordedSummary {
  const { audio_id, report_id, status, title, duration_ms, recorded_at, transcript, summaries, ...rest } = data;
  const others: Record<string, unknown> = { ...rest };
  const known = <T>(name: string, value: unknown, read: (value: unknown) => T | undefined): T | undefined => {
    const found = read(value);
    if (found === undefined && value !== undefined) others[name] = value;
    return found;
  };
  return {
    audioId: known('audio_id', audio_id, word),
    reportId: known('report_id', report_id, word),
    status: known('status', status, word),
    title: known('title', title, string),
    durationMs: known('duration_ms', duration_ms, amount),
    recordedAt: known('recorded_at', recorded_at, string),
    transcript: known('transcript', transcript, readTranscript),
    summaries: known('summaries', summaries, (value) => (Array.isArray(value) ? value.map(readSummary) : undefined)),
    others,
  };
}

function readTranscript(value: unknown): Transcript | undefined {
  if (!isObject(value)) return undefined;
  const { segments } = value;
  return {
    language: word(value['language']),
    text: string(value['text']) ?? '',
    truncated: value['truncated'] === true,
    segments: Array.isArray(segments) ? segments.map(readSegment) : undefined,
  };
}

function readSegment(value: unknown): Segment {
  if (!isObject(value)) return { speaker: undefined, start: undefined, text: plain(value) };
  return { speaker: word(value['speaker']), start: amount(value['start']), text: plain(value['text'] ?? '') };
}

function readSummary(value: unknown): Summary {
  if (!isObject(value)) return { label: undefined, content: plain(value), format: undefined, template: undefined };
  return {
    label: word(value['label']),
    content: plain(value['content'] ?? ''),
    format: word(value['format']),
    template: word(value['template_name']),
  };
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** An id or a status is the same thing as a number. */
function word(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : string(value);
}

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
