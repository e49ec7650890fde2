import { listCommand } from '../../../cli/command.ts';
import { parseTime } from '../../../cli/time.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { Tone } from '../../../output/types.ts';
import type { PostableSilence } from '../../alerts/schema.ts';
import { matcherTexts } from '../columns.ts';
import type { ImportedSilence } from '../silence-import.ts';
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
    const { openAlertmanager } = await import('../../alerts/client.ts');
    const { failedImport, importPlan, importStep, unsentRow } = await import('../silence-import.ts');
    const { parseSilenceFile } = await import('../silence-file.ts');
    const { readSilences } = await import('../../alerts/silence.ts');
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
    const alertmanager = openAlertmanager(ctx.target, { bulk: true });
    const { askAbout } = await import('../silencing.ts');
    const unmeasured = sendable.map((draft) => ({ draft, reach: undefined }));
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
