/** Silences from a file: JSON, one object or an array of them, checked whole before anything is sent. */
import { SvcError } from '../../errors.ts';
import { parseJson } from './json-file.ts';
import type { PostableSilence } from './schema.ts';
import { isUuid } from './silence.ts';

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
  const { postableSilence } = await import('./schema.ts');
  const silences = items.map((item, index) => {
    const where = single ? defaults.source : `${defaults.source}, silence ${index + 1}`;
    const filled = fill(item, defaults, where);
    const parsed = postableSilence.safeParse(filled);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new SvcError(
      'invalid_value',
      `${where}: ${issue?.path.join('.') || 'the silence'}: ${issue?.message ?? 'not valid'}`,
    );
  });
  return { silences, single };
}

function fill(item: unknown, { createdBy, startsAt, instant, backup }: FileDefaults, where: string): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
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
  const time = (name: string): Record<string, unknown> => {
    const text = silence[name];
    if (typeof text !== 'string') return {};
    try {
      return { [name]: instant(text) };
    } catch (error) {
      if (error instanceof SvcError)
        throw new SvcError('invalid_value', `${where}: ${name}: ${error.message}`, { cause: error });
      throw error;
    }
  };
  // What a list or an export says of a silence's state is not part of it.
  const { status, updatedAt, ...fields } = silence;
  const { id: _, ...withoutId } = fields;
  const base = isNew ? { createdBy, startsAt, ...withoutId } : { ...fields, id: String(id).toLowerCase() };
  return { ...base, ...time('startsAt'), ...time('endsAt') };
}
