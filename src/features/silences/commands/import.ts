import { listCommand } from '../../../cli/command.ts';
import { parseTime } from '../../../cli/time.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { Tone } from '../../../output/types.ts';
import type { Alertmanager } from '../../alerts/api.ts';
import type { PostableSilence, Silence } from '../../alerts/schema.ts';
import { matcherTexts } from '../columns.ts';
import { applyChanges } from '../draft.ts';
import { ALL_ALERTS, author, silenceGuard } from '../silencing-flags.ts';

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
  summary: 'Bring silences from a file to the server',
  description:
    'Checks the whole file before it sends anything. A row is known by its matchers, author and comment, so you can import the same file again, also after an interruption, and nothing is created twice. Rows that end before they start are invalid, and rows that are already over are skipped: either makes the exit status 10, or 3 if every row is invalid. Silences longer than alerts.maxSilence (24h) need a confirmation. How many alerts a row mutes is not counted.',
  effect: 'write',
  service: 'alerts',
  args: {
    file: { help: 'JSON (an array, or one silence) or NDJSON; - or nothing for standard input', complete: 'files' },
  },
  flags: {
    'on-conflict': {
      type: 'choice',
      choices: ['skip', 'extend', 'duplicate'],
      default: 'skip',
      help: 'What to do where the server has such a silence at that time: leave it, move its end if that is earlier, or make another',
    },
    concurrency: { type: 'integer', value: 'n', min: 1, max: 64, default: 32, help: 'How many requests at once' },
    ...ALL_ALERTS,
  },
  exits: ['partly_done', 'refused'],
  examples: [
    { run: 'svc silences import silences.json', why: 'What svc silences export, or amtool, wrote' },
    { run: 'svc silences export --profile old | svc silences import --profile new', why: 'From one server to another' },
    { run: 'svc silences import silences.json --on-conflict extend --dry-run', why: 'See the requests first' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'id', cell: ({ silenceID }: ImportedSilence) => silenceID },
      { name: 'result', cell: ({ result }) => ({ text: result, tone: TONES[result] }) },
      { name: 'matchers', cell: matcherTexts, flex: true },
      { name: 'message', cell: ({ message }) => message, flex: true },
      { name: 'before', cell: ({ previousID }) => previousID, wide: true },
    ],
    id: ({ silenceID }) => silenceID ?? '',
  },
  async run(input, ctx) {
    const { bulk, bulkAnswer } = await import('../../../cli/bulk.ts');
    const { openAlertmanager } = await import('../../alerts/api.ts');
    const { parseSilenceFile } = await import('../file.ts');
    const { readSilences } = await import('../../alerts/ids.ts');
    const now = ctx.now();
    const path = input.file ?? '-';
    const { silences } = await parseSilenceFile(await ctx.readInput(path), {
      source: path,
      createdBy: author(ctx),
      backup: true,
      startsAt: new Date(now).toISOString(),
      instant: (text) => parseTime(text, { now, bare: 'forward' }).iso,
    });
    const sendable = silences.filter((row) => unsentRow(row, now) === undefined);
    if (!input.allAlerts) await refuseWideOnes(sendable);
    const alertmanager = openAlertmanager(ctx.target);
    const { askAbout } = await import('../silencing.ts');
    const unmeasured = sendable.map((draft) => ({ draft, impact: undefined }));
    await askAbout(unmeasured, alertmanager, silenceGuard(ctx, input.allAlerts));
    const stepOf = importPlan(await readSilences(alertmanager), input.onConflict, now);
    const progress = ctx.progress(silences.length);
    const outcome = await bulk(silences, input.concurrency, async (row) => {
      // A row is planned when its turn comes: while the server stores others there is time for it.
      const imported = await importStep(stepOf(row), alertmanager);
      progress.step();
      return imported;
    }).finally(() => progress.clear());
    if (outcome instanceof Plan) return { value: outcome };
    const answer = bulkAnswer(outcome, (row, { message }) => failedImport(row, message));
    return { value: answer.value, code: importCode(answer), footer: summary(answer.value) };
  },
});

async function refuseWideOnes(silences: readonly PostableSilence[]): Promise<void> {
  const { isWide } = await import('../silencing.ts');
  const wide = silences.filter(isWide);
  const [first] = wide;
  if (first === undefined) return;
  throw new SvcError(
    'invalid_value',
    `${wide.length} of ${silences.length} silences could mute everything, ${matcherTexts(first).join(' ')} first: no matcher requires a definite value`,
    { hint: 'nothing was sent; take them out, or pass --all-alerts' },
  );
}

function importCode({ value: rows, code }: { value: readonly ImportedSilence[]; code: ErrorCode | undefined }) {
  if (rows.length > 0 && rows.every(({ result }) => result === 'invalid')) return 'refused';
  return rows.some(({ result }) => result === 'invalid' || result === 'skipped') ? 'partly_done' : code;
}

function summary(rows: readonly ImportedSilence[]): string {
  const counts = new Map<string, number>();
  for (const { result } of rows) counts.set(result, (counts.get(result) ?? 0) + 1);
  return [...counts]
    .map(([result, count]) => `${count} ${result}${result === 'skipped' ? ': already over' : ''}`)
    .join(', ');
}

/** What to do with a row whose matchers, author and comment a silence of the server has at the same time. */
type OnConflict = 'skip' | 'extend' | 'duplicate';

interface ImportStep {
  readonly row: PostableSilence;
  /** `silence` is what is sent, where anything is; `existing` is what stands for the row otherwise. */
  readonly action: 'create' | 'extend' | 'unchanged' | UnsentRow;
  readonly silence?: PostableSilence;
  readonly existing?: string;
}

interface ImportedSilence {
  /** The id on this server; null where there is none. */
  readonly silenceID: string | null;
  /** The id in the file. */
  readonly previousID: string | null;
  readonly result: 'created' | 'extended' | 'unchanged' | 'failed' | UnsentRow;
  readonly matchers: PostableSilence['matchers'];
  readonly message: string | null;
}

/** Why a row is never sent: it ends before it starts, or is already over. */
type UnsentRow = 'invalid' | 'skipped';

const UNSENT_MESSAGES: Readonly<Record<UnsentRow, string>> = {
  invalid: 'ends before it starts',
  skipped: 'already over',
};

/** Undefined where the row can be sent. */
function unsentRow({ startsAt, endsAt }: PostableSilence, now: number): UnsentRow | undefined {
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
async function importStep(step: ImportStep, alertmanager: Alertmanager): Promise<ImportedSilence | Plan> {
  const { row, action, silence, existing } = step;
  if (action === 'invalid' || action === 'skipped') return rowOf(row, action, undefined, UNSENT_MESSAGES[action]);
  if (silence === undefined) return rowOf(row, 'unchanged', existing === '' ? undefined : existing);
  const answer = await alertmanager.postSilence(silence);
  return answer instanceof Plan ? answer : rowOf(row, action === 'extend' ? 'extended' : 'created', answer.silenceID);
}

function failedImport(row: PostableSilence, message: string): ImportedSilence {
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
