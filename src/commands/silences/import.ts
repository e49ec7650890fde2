import { listCommand } from '../../cli/command.ts';
import { parseTime } from '../../cli/time.ts';
import { SvcError } from '../../errors.ts';
import { author } from '../../inputs/silencing.ts';
import type { Tone } from '../../output/types.ts';
import { matcherFrom } from '../../services/alertmanager/matcher.ts';
import type { PostableSilence } from '../../services/alertmanager/schema.ts';
import type { ImportedSilence } from '../../services/alertmanager/silence-import.ts';
import { matcherTexts } from '../../views/silences.ts';

const TONES: Readonly<Record<ImportedSilence['result'], Tone>> = {
  created: 'good',
  extended: 'good',
  unchanged: 'dim',
  expired: 'dim',
  failed: 'bad',
};

export const silencesImport = listCommand({
  id: 'silences import',
  summary: 'Bring silences from a file to the server',
  description:
    'The whole file is checked before anything is sent. A row is known by its matchers, author and comment, so that the same file can be imported again, after a cut too, and nothing is there twice. Rows that are over are left out.',
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
    'all-alerts': { type: 'boolean', help: 'Silences without a positive matcher too' },
  },
  exits: ['partly_done'],
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
    const { bulk, bulkAnswer } = await import('../../cli/bulk.ts');
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const { failedImport, importPlan, importStep } = await import('../../services/alertmanager/silence-import.ts');
    const { parseSilenceFile } = await import('../../services/alertmanager/silence-file.ts');
    const { readSilences } = await import('../../services/alertmanager/silence.ts');
    const now = ctx.now();
    const path = input.file ?? '-';
    const { silences } = await parseSilenceFile(await ctx.readInput(path), {
      source: path,
      createdBy: author(ctx),
      backup: true,
      startsAt: new Date(now).toISOString(),
      instant: (text) => parseTime(text, { now, bare: 'forward' }).iso,
    });
    if (!input.allAlerts) await refuseWideOnes(silences);
    const alertmanager = openAlertmanager(ctx.target, { bulk: true });
    const stepOf = importPlan(await readSilences(alertmanager), input.onConflict, now);
    const progress = ctx.progress(silences.length);
    const outcome = await bulk(silences, input.concurrency, async (row) => {
      // A row is planned when its turn comes: while the server stores others there is time for it.
      const imported = await importStep(stepOf(row), alertmanager);
      progress.step();
      return imported;
    }).finally(() => progress.clear());
    const answer = bulkAnswer(outcome, (row, { message }) => failedImport(row, message));
    return { ...answer, footer: summary(answer.value) };
  },
});

/** A file is as easily wrong as a command line. What it would mute is not counted: a backup has its reasons. */
async function refuseWideOnes(silences: readonly PostableSilence[]): Promise<void> {
  const { judgeMatchers } = await import('../../services/alertmanager/reach.ts');
  const wide = silences.filter(({ matchers }) => judgeMatchers(matchers.map(matcherFrom)).verdict === 'everything');
  const [first] = wide;
  if (first === undefined) return;
  throw new SvcError(
    'invalid_value',
    `${wide.length} of ${silences.length} silences could mute everything, ${matcherTexts(first).join(' ')} first: no matcher names anything that must be there`,
    { hint: 'nothing was sent; take them out, or pass --all-alerts' },
  );
}

function summary(rows: readonly ImportedSilence[]): string {
  const counts = new Map<string, number>();
  for (const { result } of rows) counts.set(result, (counts.get(result) ?? 0) + 1);
  return [...counts].map(([result, count]) => `${count} ${result}`).join(', ');
}
