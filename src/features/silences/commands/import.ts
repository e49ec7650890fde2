import { bulk, bulkAnswer } from '../../../cli/bulk.ts';
import { listCommand, type RunContext } from '../../../cli/command.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { Tone } from '../../../output/types.ts';
import { isUuid, openAlertmanager } from '../../alerts/api.ts';
import { type Row, readRows } from '../../alerts/file.ts';
import { matcherFrom } from '../../alerts/matcher.ts';
import { isWide } from '../../alerts/matching.ts';
import type { PostableSilence, Silence } from '../../alerts/schema.ts';
import { collect } from '../../alerts/selection.ts';
import { matcherTexts } from '../columns.ts';
import { applyChanges } from '../draft.ts';
import { ALL_ALERTS, author, SILENCES_AT_ONCE, SilenceWriter } from '../writer.ts';

const TONES: Readonly<Record<ImportedSilence['result'], Tone>> = {
  created: 'good',
  extended: 'good',
  unchanged: 'dim',
  skipped: 'dim',
  invalid: 'bad',
  failed: 'bad',
};

export const silencesImport = listCommand({
  id: 'silences import',
  summary: 'Import silences from a file',
  description:
    'Checks the file before it sends anything. Importing the same file again creates no duplicates: silences are compared by matchers, author, comment and time, and a row that ends later extends the silence. Rows that end before they start are invalid, and rows in the past are skipped; both make the exit status 10 (3 if every row is invalid).',
  effect: 'write',
  service: 'alerts',
  args: { file: { help: 'JSON or NDJSON file (default: standard input)', complete: 'files' } },
  flags: ALL_ALERTS,
  exits: ['partly_done', 'refused'],
  examples: [
    { run: 'svc silences import silences.json', why: 'Import what svc silences export or amtool wrote' },
    {
      run: 'svc silences export --profile old | svc silences import --profile new',
      why: 'Copy silences from one server to another',
    },
    { run: 'svc silences import silences.json --dry-run', why: 'Show the requests without sending them' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'id', cell: ({ id }: ImportedSilence) => id },
      { name: 'result', cell: ({ result }) => ({ text: result, tone: TONES[result] }) },
      { name: 'matchers', cell: matcherTexts, shrinks: true },
      { name: 'message', cell: ({ message }) => message, shrinks: true },
      { name: 'before', cell: ({ previous_id: previous }) => previous, wide: true },
    ],
    id: ({ id }) => id ?? '',
  },
  async run(input, ctx) {
    const now = ctx.startedAt;
    const rows = await readSilences(input.file ?? '-', author(ctx), ctx);
    const sendable = rows.filter((row) => whyUnsent(row, now) === undefined);
    if (!input.allAlerts) await refuseWideOnes(sendable);
    const alertmanager = openAlertmanager(ctx.target);
    await new SilenceWriter(alertmanager, ctx, input).ask(sendable.map((draft) => ({ draft })));
    const planOf = importPlan(await collect(alertmanager.silences()), now);
    const outcome = await bulk(rows, SILENCES_AT_ONCE, async (row): Promise<ImportedSilence | Plan> => {
      const { result, id, silence, message } = planOf(row);
      const answer = silence && (await alertmanager.postSilence(silence));
      if (answer instanceof Plan) return answer;
      return imported(row, result, answer?.silenceID ?? id, message);
    });
    const { value, code } = bulkAnswer(outcome, (row, { message }) => imported(row, 'failed', undefined, message));
    if (value instanceof Plan) return { value };
    return { value, code: importCode(value, code), footer: summary(value) };
  },
});

/** Silences that have no author and no id get the default author, and begin now. */
export async function readSilences(
  path: string,
  createdBy: string,
  ctx: Pick<RunContext, 'startedAt' | 'readInput'>,
): Promise<readonly PostableSilence[]> {
  const startsAt = new Date(ctx.startedAt).toISOString();
  const complete = ({ id, status: _, updatedAt: __, ...row }: Row, where: string): Row => {
    if (id === undefined || id === '') return { createdBy, startsAt, ...row };
    if (typeof id !== 'string' || !isUuid(id)) throw new SvcError('invalid_value', `${where}: id is not a UUID`);
    return { id: id.toLowerCase(), ...row };
  };
  return readRows('silence', path, { complete, mayBeEmpty: true }, ctx);
}

async function refuseWideOnes(silences: readonly PostableSilence[]): Promise<void> {
  const wide: PostableSilence[] = [];
  for (const silence of silences) if (await isWide(silence.matchers.map(matcherFrom))) wide.push(silence);
  const [first] = wide;
  if (first === undefined) return;
  throw new SvcError(
    'invalid_value',
    `${wide.length} of ${silences.length} silences could mute everything, such as ${matcherTexts(first).join(' ')}; nothing was sent`,
    { hint: 'remove them, or pass --all-alerts' },
  );
}

function importCode(rows: readonly ImportedSilence[], code: ErrorCode | undefined): ErrorCode | undefined {
  if (rows.length > 0 && rows.every(({ result }) => result === 'invalid')) return 'refused';
  return rows.some(({ result }) => result === 'invalid' || result === 'skipped') ? 'partly_done' : code;
}

function summary(rows: readonly ImportedSilence[]): string {
  if (rows.length === 0) return 'there are no silences in it; nothing was sent';
  const counts = new Map<string, number>();
  for (const { result } of rows) counts.set(result, (counts.get(result) ?? 0) + 1);
  return [...counts]
    .map(([result, count]) => `${count} ${result}${result === 'skipped' ? ': already over' : ''}`)
    .join(', ');
}

interface ImportedSilence {
  /** The id on this server; null if there is none. */
  readonly id: string | null;
  /** The id in the file. */
  readonly previous_id: string | null;
  readonly result: 'created' | 'extended' | 'unchanged' | 'failed' | 'invalid' | 'skipped';
  readonly matchers: PostableSilence['matchers'];
  readonly message: string | null;
}

interface ImportPlan {
  readonly result: ImportedSilence['result'];
  /** What to send, if anything. */
  readonly silence?: PostableSilence;
  /** The existing silence. */
  readonly id?: string | undefined;
  readonly message?: string;
}

/** Undefined if the row can be sent. */
function whyUnsent({ startsAt, endsAt }: PostableSilence, now: number): ImportPlan | undefined {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)];
  // One that was expired before it began ends when it starts.
  if (end < start || (end === start && end > now)) return { result: 'invalid', message: 'ends before it starts' };
  return end <= now ? { result: 'skipped', message: 'already over' } : undefined;
}

/** One with equal matchers, author and comment at overlapping times is not created twice, but extended once. */
export function importPlan(present: readonly Silence[], now: number): (row: PostableSilence) => ImportPlan {
  const known = new Map<string, PostableSilence[]>();
  const alike = (silence: PostableSilence): PostableSilence[] => {
    const key = keyOf(silence);
    const same = known.get(key) ?? [];
    known.set(key, same);
    return same;
  };
  for (const silence of present) if (silence.status.state !== 'expired') alike(silence).push(applyChanges(silence, {}));
  return (row) => {
    const unsent = whyUnsent(row, now);
    if (unsent !== undefined) return unsent;
    const others = alike(row);
    const same = others.filter((one) => overlaps(one, row, now));
    const lasting = same.find((one) => Date.parse(one.endsAt) >= Date.parse(row.endsAt));
    if (lasting !== undefined) return { result: 'unchanged', id: lasting.id };
    const shorter = same.find(({ id }) => id !== undefined);
    const { id, ...silence } = { ...(shorter ?? row), endsAt: row.endsAt };
    others.push(silence);
    if (shorter === undefined) return { result: 'created', silence };
    others.splice(others.indexOf(shorter), 1);
    return { result: 'extended', silence: { ...silence, id } };
  };
}

function imported(
  { id: previous, matchers }: PostableSilence,
  result: ImportedSilence['result'],
  id: string | undefined,
  message: string | undefined,
): ImportedSilence {
  return { id: id ?? null, previous_id: previous ?? null, result, matchers, message: message ?? null };
}

function keyOf({ matchers, createdBy, comment }: PostableSilence): string {
  const spelled = new Set(matchers.map((wire) => JSON.stringify(matcherFrom(wire))));
  return JSON.stringify([[...spelled].sort(), createdBy, comment]);
}

/** The server moves a start in the past to now. */
function overlaps(a: PostableSilence, b: PostableSilence, now: number): boolean {
  const start = Math.max(Date.parse(a.startsAt), Date.parse(b.startsAt), now);
  return start < Math.min(Date.parse(a.endsAt), Date.parse(b.endsAt));
}
