/** Alerts and silences from a file (JSON or NDJSON), checked before anything is sent. */
import type { RunContext } from '../../cli/command.ts';
import { parseTime } from '../../cli/time.ts';
import { SvcError } from '../../errors.ts';
import { isObject, parseJsonText } from '../../json-object.ts';
import type { PostableAlert, PostableSilence } from './schema.ts';

interface Rows {
  readonly alert: PostableAlert;
  readonly silence: PostableSilence;
}

export type Row = Readonly<Record<string, unknown>>;

interface FileRules {
  /** Adds defaults to a row and removes what is not sent. `where` names the row in messages. */
  readonly complete: (row: Row, where: string) => Row;
  readonly mayBeEmpty?: boolean;
}

export async function readRows<T extends keyof Rows>(
  thing: T,
  path: string,
  { complete, mayBeEmpty }: FileRules,
  ctx: Pick<RunContext, 'readInput' | 'startedAt'>,
): Promise<readonly Rows[T][]> {
  const value = parseJson(await ctx.readInput(path), path);
  const isArray = Array.isArray(value);
  const items: unknown[] = isArray ? value : [value];
  if (items.length === 0 && !mayBeEmpty) throw new SvcError('invalid_value', `${path}: the array is empty`);
  const { postableAlert, postableSilence } = await import('./schema.ts');
  return items.map((item, index) => {
    const where = items.length === 1 && !isArray ? path : `${path}, ${thing} ${index + 1}`;
    if (!isObject(item)) throw new SvcError('invalid_value', `${where}: not an object`);
    const row = { ...complete(withoutNulls(item), where) };
    for (const name of ['startsAt', 'endsAt']) row[name] = resolved(row[name], `${where}: ${name}`, ctx.startedAt);
    const parsed = (thing === 'alert' ? postableAlert : postableSilence).safeParse(row);
    if (parsed.success) return parsed.data as Rows[T];
    const [issue] = parsed.error.issues;
    throw new SvcError(
      'invalid_value',
      `${where}: ${issue?.path.join('.') || `the ${thing}`}: ${issue?.message ?? 'not valid'}`,
    );
  });
}

/** For the service, null is absent, in labels and annotations too. */
function withoutNulls(row: Row): Row {
  const filled = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    filled.map(([name, value]) => [
      name,
      /^(?:labels|annotations)$/.test(name) && isObject(value) ? withoutNulls(value) : value,
    ]),
  );
}

/** Any time that svc accepts, as RFC 3339 in UTC. */
function resolved(text: unknown, where: string, now: number): unknown {
  if (typeof text !== 'string') return text;
  const ms = Date.parse(text);
  if (text > '0001' && !Number.isNaN(ms) && new Date(ms).toISOString() === text) return text;
  try {
    return parseTime(text, { now, bare: 'forward' }).iso;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError('invalid_value', `${where}: ${error.message}`, { cause: error });
  }
}

/** `source` names the file in messages. */
export function decodeText(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SvcError('invalid_value', `${source}: not UTF-8 text`);
  }
}

/** The JSON value of a file, or the array of its lines (NDJSON). */
export function parseJson(bytes: Uint8Array, source: string): unknown {
  const text = decodeText(bytes, source);
  if (text.trim() === '') throw new SvcError('invalid_value', `${source}: is empty`);
  try {
    return parseJsonText(text, Number.POSITIVE_INFINITY);
  } catch (error) {
    const lines = parseLines(text, source);
    if (lines !== undefined) return lines;
    throw notJson(source, error);
  }
}

/** Undefined if the first line is not a JSON value. */
function parseLines(text: string, source: string): unknown[] | undefined {
  const values: unknown[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      values.push(parseJsonText(line));
    } catch (error) {
      if (values.length === 0) return undefined;
      throw notJson(`${source}, line ${index + 1}`, error);
    }
  }
  return values;
}

function notJson(where: string, error: unknown): SvcError {
  return new SvcError('invalid_value', `${where}: not JSON: ${(error as Error).message}`, { hint: 'nothing was sent' });
}
