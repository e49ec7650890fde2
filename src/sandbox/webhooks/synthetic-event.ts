/** Events that look like those of real recordings (doc 2 §2). */
import type { Envelope } from './account.ts';
import { instant } from './identifiers.ts';

const MINUTE_MS = 60_000;

const SEGMENTS = [
  { speaker: 'Ana', start: 0, end: 4.5, text: 'Shall we look at the open points?' },
  { speaker: 'Jörg', start: 4.9, end: 9.2, text: 'The export is done. The import waits for a review.' },
];

/** Of a type other than `summary.completed` it has no data. */
export function syntheticEvent(id: string, type: string, now: number, title = 'Weekly sync'): Envelope {
  const audio = id.replace(/^evt_/, '');
  const data = {
    audio_id: `aud_${audio}`,
    report_id: `rep_${audio}`,
    status: 2,
    title,
    duration_ms: 1_832_000,
    recorded_at: instant(now - 40 * MINUTE_MS),
    transcript: {
      language: 'en',
      text: SEGMENTS.map(({ text }) => text).join(' '),
      truncated: false,
      segments: SEGMENTS,
    },
    summaries: [{ label: 'Summary', content: '# Decisions\n\n- Review the import', format: 'markdown' }],
  };
  return { id, type, created_at: instant(now), data: type === 'summary.completed' ? data : {} };
}
