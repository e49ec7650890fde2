import { SvcError } from '../../errors.ts';
import { parseJsonText } from '../../json-object.ts';

/** The one JSON value of a file that a person gave, or the array of its lines (NDJSON). `source` names it in messages. */
export function parseJson(bytes: Uint8Array, source: string): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SvcError('invalid_value', `${source}: not UTF-8 text`);
  }
  if (text.trim() === '') throw new SvcError('invalid_value', `${source}: is empty`);
  try {
    return parseJsonText(text, Number.POSITIVE_INFINITY);
  } catch (error) {
    const lines = parseLines(text, source);
    if (lines !== undefined) return lines;
    throw new SvcError('invalid_value', `${source}: not JSON: ${(error as Error).message}`, {
      hint: 'nothing was sent',
    });
  }
}

/** The values of NDJSON; undefined where the first line is no JSON value of its own. */
function parseLines(text: string, source: string): unknown[] | undefined {
  const lines = text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [{ line, number: index + 1 }]));
  const values: unknown[] = [];
  for (const { line, number } of lines) {
    try {
      values.push(parseJsonText(line));
    } catch (error) {
      if (values.length === 0) return undefined;
      const { message } = error as Error;
      throw new SvcError('invalid_value', `${source}, line ${number}: not JSON: ${message}`, {
        hint: 'nothing was sent',
      });
    }
  }
  return values;
}
