/** What an event tells of a recording (doc 2 §2): only `audio_id` is guaranteed, and nothing here relies even on that. */
import { isObject } from '../../json-object.ts';

export interface RecordedSummary {
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

export interface Transcript {
  readonly language: string | undefined;
  readonly text: string;
  readonly truncated: boolean;
  /** Removed first where a payload gets too long; undefined where there are none. */
  readonly segments: readonly Segment[] | undefined;
}

export interface Segment {
  readonly speaker: string | undefined;
  /** Seconds. */
  readonly start: number | undefined;
  readonly text: string;
}

export interface Summary {
  readonly label: string | undefined;
  readonly content: string;
  /** `markdown`, `html`, and others to come. */
  readonly format: string | undefined;
  readonly template: string | undefined;
}

export function recordedSummary(data: Readonly<Record<string, unknown>>): RecordedSummary {
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
