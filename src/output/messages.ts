/** What goes to standard error: failures and notices, with remote text escaped. */
import { errorReport, type SvcError } from '../errors.ts';
import { type ColorLevel, painter } from './color.ts';
import { escapeJson, escapeText } from './escape.ts';

/** `svc: …` and `hint: …`, or the one line of JSON that `-o json` and `-o ndjson` promise. */
export async function formatError(
  error: SvcError,
  { json, color }: { readonly json: boolean; readonly color: ColorLevel },
): Promise<string> {
  if (json) return `${escapeJson(JSON.stringify(errorReport(error)))}\n`;
  const paint = await painter(color);
  const hint = error.hint === undefined ? '' : `${paint('hint:', 'dim')} ${escapeText(error.hint)}\n`;
  return `${paint('svc:', 'bad')} ${escapeText(error.message)}\n${hint}`;
}

/** One line, whatever `text` holds. */
export function formatNotice(text: string): string {
  return `${escapeText(text)}\n`;
}
