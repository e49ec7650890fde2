/** The lines of `-v` and `--debug`. The transport has redacted what they hold; here it is only laid out and escaped. */
import type { TraceEvent } from '../http/target.ts';
import { escapeText } from '../output/escape.ts';

export function traceLine(event: TraceEvent): string {
  const lines = describe(event).map((line) => `${escapeText(line)}\n`);
  return lines.join('');
}

function describe(event: TraceEvent): string[] {
  const again = 'attempt' in event && event.attempt > 1 ? `, attempt ${event.attempt}` : '';
  switch (event.kind) {
    case 'answer':
      return [`${event.method} ${event.url} ${event.status} (${Math.round(event.ms)} ms${again})`];
    case 'failure':
      return [`${event.method} ${event.url} failed: ${event.reason} (${Math.round(event.ms)} ms${again})`];
    case 'request-detail':
      return [`> ${event.method} ${event.url}`, ...headerLines('>', event.headers), ...bodyLines('>', event.body)];
    case 'answer-detail':
      return [`< ${event.status}`, ...headerLines('<', event.headers), ...bodyLines('<', event.body)];
    case 'frame':
      return [`${event.direction === 'sent' ? '>' : '<'} websocket, ${event.bytes} bytes: ${event.text}`];
  }
}

function headerLines(mark: string, headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${value}`);
}

function bodyLines(mark: string, body: string): string[] {
  return body === '' ? [] : body.split('\n').map((line) => `${mark}   ${line}`);
}
