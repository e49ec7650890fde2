/** Bringing silences from a file to a server: what each row amounts to, and carrying it out. */
import { Plan } from '../../http/endpoint.ts';
import type { Alertmanager } from '../alerts/client.ts';
import type { PostableSilence, Silence } from '../alerts/schema.ts';
import { applyChanges } from './silence-draft.ts';

/** What to do with a row whose matchers, author and comment a silence of the server has at the same time. */
export type OnConflict = 'skip' | 'extend' | 'duplicate';

export interface ImportStep {
  readonly row: PostableSilence;
  /** `silence` is what is sent, where anything is; `existing` is what stands for the row otherwise. */
  readonly action: 'create' | 'extend' | 'unchanged' | UnsentRow;
  readonly silence?: PostableSilence;
  readonly existing?: string;
}

export interface ImportedSilence {
  /** The id on this server; null where there is none. */
  readonly silenceID: string | null;
  /** The id in the file. */
  readonly previousID: string | null;
  readonly result: 'created' | 'extended' | 'unchanged' | 'failed' | UnsentRow;
  readonly matchers: PostableSilence['matchers'];
  readonly message: string | null;
}

/** Why a row is never sent: it ends before it starts, or is already over. */
export type UnsentRow = 'invalid' | 'skipped';

const UNSENT_MESSAGES: Readonly<Record<UnsentRow, string>> = {
  invalid: 'ends before it starts',
  skipped: 'already over',
};

/** Undefined where the row can be sent. */
export function unsentRow({ startsAt, endsAt }: PostableSilence, now: number): UnsentRow | undefined {
  if (Date.parse(endsAt) <= Date.parse(startsAt)) return 'invalid';
  return Date.parse(endsAt) <= now ? 'skipped' : undefined;
}

/**
 * The step of each row, asked for in the order of the file. The same row twice, in the file or because an import was cut and is run
 * again, makes one silence: it is known by its matchers, author and comment, and by a window that overlaps. */
export function importPlan(
  present: readonly Silence[],
  onConflict: OnConflict,
  now: number,
): (row: PostableSilence) => ImportStep {
  const known = new Map<string, { readonly id: string; readonly silence: PostableSilence }[]>();
  const remember = (key: string, id: string, silence: PostableSilence): void => {
    const same = known.get(key);
    if (same === undefined) known.set(key, [{ id, silence }]);
    else same.push({ id, silence });
  };
  for (const silence of present)
    if (silence.status.state !== 'expired') remember(keyOf(silence), silence.id, applyChanges(silence, {}));
  return (row) => {
    const unsent = unsentRow(row, now);
    if (unsent !== undefined) return { row, action: unsent };
    const key = keyOf(row);
    const same =
      onConflict === 'duplicate' ? undefined : known.get(key)?.find((one) => overlaps(one.silence, row, now));
    if (same === undefined) {
      const silence = withoutId(row);
      remember(key, '', silence);
      return { row, action: 'create', silence };
    }
    const longer = Date.parse(row.endsAt) > Date.parse(same.silence.endsAt);
    // A row of this very file is not sent yet, and has no id to be extended by.
    if (onConflict === 'skip' || !longer || same.id === '') return { row, action: 'unchanged', existing: same.id };
    return { row, action: 'extend', silence: { ...same.silence, endsAt: row.endsAt }, existing: same.id };
  };
}

/** Carries one step out. */
export async function importStep(step: ImportStep, alertmanager: Alertmanager): Promise<ImportedSilence | Plan> {
  const { row, action, silence, existing } = step;
  if (action === 'invalid' || action === 'skipped') return rowOf(row, action, undefined, UNSENT_MESSAGES[action]);
  if (silence === undefined) return rowOf(row, 'unchanged', existing === '' ? undefined : existing);
  const answer = await alertmanager.postSilence(silence);
  return answer instanceof Plan ? answer : rowOf(row, action === 'extend' ? 'extended' : 'created', answer.silenceID);
}

export function failedImport(row: PostableSilence, message: string): ImportedSilence {
  return rowOf(row, 'failed', undefined, message);
}

function rowOf(
  { id, matchers }: PostableSilence,
  result: ImportedSilence['result'],
  silenceID: string | undefined,
  message?: string,
): ImportedSilence {
  return { silenceID: silenceID ?? null, previousID: id ?? null, result, matchers, message: message ?? null };
}

function withoutId(row: PostableSilence): PostableSilence {
  if (row.id === undefined) return row;
  const { id: _, ...silence } = row;
  return silence;
}

function keyOf({ matchers, createdBy, comment }: PostableSilence): string {
  const spelled = matchers.map(spell);
  if (spelled.length > 1) spelled.sort();
  let key = `${createdBy.length} ${createdBy}`;
  for (const [i, text] of spelled.entries()) if (text !== spelled[i - 1]) key += text;
  return `${key} ${comment}`;
}

/** Its own length in front of every text: two different matchers are never spelled alike, nor are two rows of them. */
function spell({ name, value, isRegex, isEqual }: PostableSilence['matchers'][number]): string {
  return `${isEqual ?? true} ${isRegex} ${name.length} ${name}${value.length} ${value}`;
}

/** The server moves a start that is past to the moment it stores the silence: until now all starts are alike. */
function overlaps(a: PostableSilence, b: PostableSilence, now: number): boolean {
  const start = Math.max(Date.parse(a.startsAt), Date.parse(b.startsAt), now);
  return start < Math.min(Date.parse(a.endsAt), Date.parse(b.endsAt));
}
