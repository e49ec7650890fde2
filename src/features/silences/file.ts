/** Silences from a file: JSON, one object or an array of them, checked whole before anything is sent. */
import { SvcError } from '../../errors.ts';
import { isObject } from '../../json-object.ts';
import { isUuid } from '../alerts/api.ts';
import { parseJson } from '../alerts/json-file.ts';
import type { PostableSilence } from '../alerts/schema.ts';

export interface FileDefaults {
  /** The file's name, for messages. */
  readonly source: string;
  readonly createdBy: string;
  /** A backup may be empty, and what others have stored without a reason is brought back without one. */
  readonly backup?: boolean;
  /** For a new silence that says none. */
  readonly startsAt: string;
  /** A time as a person may write it → RFC 3339 in UTC. Throws what it refuses. */
  readonly instant: (text: string) => string;
}

export interface FileSilences {
  readonly silences: readonly PostableSilence[];
  /** The file holds one object, not an array. */
  readonly single: boolean;
}

/** New silences get the defaults for what they leave out; those with an id are updates and keep to what they say. */
export async function parseSilenceFile(bytes: Uint8Array, defaults: FileDefaults): Promise<FileSilences> {
  const value = parseJson(bytes, defaults.source);
  const single = !Array.isArray(value);
  const items: unknown[] = single ? [value] : (value as unknown[]);
  if (items.length === 0 && !defaults.backup)
    throw new SvcError('invalid_value', `${defaults.source}: the array is empty`);
  const { postableSilence } = await import('../alerts/schema.ts');
  const silences = items.map((item, index) => {
    const where = single ? defaults.source : `${defaults.source}, silence ${index + 1}`;
    const parsed = postableSilence.safeParse(fill(item, defaults, where));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new SvcError(
      'invalid_value',
      `${where}: ${issue?.path.join('.') || 'the silence'}: ${issue?.message ?? 'not valid'}`,
    );
  });
  return { silences, single };
}

function fill(
  item: unknown,
  { createdBy, startsAt, instant, backup }: FileDefaults,
  where: string,
): Record<string, unknown> {
  if (!isObject(item)) {
    throw new SvcError('invalid_value', `${where}: not an object`);
  }
  const silence = item as Record<string, unknown>;
  const { id } = silence;
  const isNew = id === undefined || id === '';
  if (!isNew && (typeof id !== 'string' || !isUuid(id)))
    throw new SvcError('invalid_value', `${where}: id is not a UUID`);
  if (!backup && typeof silence['comment'] === 'string' && silence['comment'].trim() === '') {
    throw new SvcError('invalid_value', `${where}: comment is empty`);
  }
  const filled = isNew && isComplete(silence) ? silence : copied(silence, isNew ? { createdBy, startsAt } : {});
  if (!isNew) filled['id'] = id.toLowerCase();
  else if (id !== undefined) delete filled['id'];
  for (const name of ['startsAt', 'endsAt']) {
    const text = filled[name];
    if (typeof text !== 'string' || RESOLVED.test(text)) continue;
    try {
      filled[name] = instant(text);
    } catch (error) {
      if (error instanceof SvcError)
        throw new SvcError('invalid_value', `${where}: ${name}: ${error.message}`, { cause: error });
      throw error;
    }
  }
  return filled;
}

/** What a list or an export says of a silence's state is not part of it. */
const LEFT_OUT = new Set(['status', 'updatedAt', '__proto__']);

/** Whether there is nothing to add or to leave out. */
function isComplete(silence: Record<string, unknown>): boolean {
  const { createdBy, startsAt, id, status, updatedAt } = silence;
  if (createdBy === undefined || startsAt === undefined) return false;
  return id === undefined && status === undefined && updatedAt === undefined;
}

function copied(silence: Record<string, unknown>, defaults: Record<string, unknown>): Record<string, unknown> {
  const copy = { ...defaults };
  for (const name in silence) if (!LEFT_OUT.has(name)) copy[name] = silence[name];
  return copy;
}

/** A time as every time will be written, as it is in what services and exports write. Of a leap day the calendar decides. */
const RESOLVED =
  /^(?!0000)\d{4}-(?!02-29|02-3|0[469]-31|11-31)(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
