import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { poll } from '../../../cli/poll.ts';
import { formatDuration } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { type PagingProblem, PRODUCT_ARGUMENT, SOURCE_FLAGS } from '../lists.ts';
import { conditionOf, conditionText, type Judged, judge, readings, type Verdict, verdictText } from '../price-check.ts';
import { plainInstant, wireTime } from '../window.ts';

const DAY_MS = 86_400_000;
const USUAL_AGE_MS = 7 * DAY_MS;
const USUAL_EVERY_MS = 300_000;

interface Checked extends Verdict {
  readonly condition: string;
  readonly judged: Judged;
  /** With a change: what it is measured from, as it was sent. */
  readonly since?: string;
  readonly waitedMs: number;
  /** What was found and what was wanted, in words. */
  readonly message: string;
}

const PRICE_CHECK_RECORD: RecordOutput<Checked> = {
  kind: 'record',
  columns: [
    { name: 'ok', cell: ({ ok }) => ok ?? 'not known' },
    { name: 'condition', cell: ({ condition }) => condition },
    { name: 'judged', cell: ({ judged }) => judged },
    {
      name: 'values',
      cell: ({ sources }) => sources.map(({ series, value }) => `${series} ${value ?? '-'}`),
    },
    { name: 'message', cell: ({ message }) => message },
  ],
  id: (checked) => outcomeOf(checked),
  line: (checked) => ({
    text: `${outcomeOf(checked).replace('_', ' ')}: ${checked.message}`,
    tone: checked.ok === null ? 'warn' : checked.ok ? 'good' : 'bad',
  }),
};

export const catalogCheck = recordCommand({
  id: 'catalog check',
  summary: 'Test a price: 0 if the condition holds, 1 if not, 11 if it is not known',
  description:
    'An offer is what one store charges in one place by one unit; only its newest observation counts. --below and --above judge the lowest of the price, discount_price and loyal_price of all offers. --field names one of them, or available_count; --any and --all judge each offer by itself. --change compares the latest value (of price, or of --field) with the one in effect at --since, which may have been observed before: 10% either way, +10% a rise, -10% a fall; one offer is enough unless --all is given. The limit itself is neither below nor above; a change of just so much is enough. A value older than --max-age is not current: it decides nothing and is named. Where no current value is known, and with --all where one is not, the exit status is 11, never 0 or 1. --wait checks until the condition holds, and ends with 9 if it never does.\nIn JSON: ok (null where it is not known), condition, judged (lowest, any or all), since (with --change), message, waitedMs, sources (the offers that were judged) and stale (those that are too old); of each parser_name, source_id (its newest source), series (its name), field, value, unit, observed_at, stale and, with --change, first and changePercent; of those judged also holds (null where it is not known).',
  effect: 'read',
  service: 'catalog',
  streams: ({ wait }) => wait !== undefined,
  args: { id: PRODUCT_ARGUMENT },
  flags: {
    below: { type: 'number', value: 'price', help: 'It holds if the price is lower' },
    above: { type: 'number', value: 'price', help: 'It holds if the price is higher' },
    change: { type: 'string', value: 'percent', help: 'It holds if the price moved so far: 10%, +10%, -10%' },
    since: {
      type: 'time',
      bare: 'back',
      dates: true,
      help: 'With --change: compare with the value in effect then (default 1d ago)',
    },
    field: {
      type: 'choice',
      choices: ['lowest', 'price', 'discount_price', 'loyal_price', 'available_count'],
      help: 'Which value is judged: lowest unless given, with --change price',
    },
    ...SOURCE_FLAGS,
    any: { type: 'boolean', help: 'It holds if it does for one offer' },
    all: { type: 'boolean', help: 'It holds only if it does for every offer' },
    'max-age': { type: 'duration', positive: true, help: 'Older values are not current (7d unless given)' },
    wait: { type: 'duration', help: 'Check again until it holds, for so long' },
    every: { type: 'duration', positive: true, help: 'With --wait: time between two checks (5m unless given)' },
  },
  exits: ['condition_false', 'still_pending', 'not_known'],
  examples: [
    {
      run: 'svc catalog check 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --below 80',
      why: 'In a script: go on only if it is cheap',
    },
    {
      run: 'svc catalog check 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --change +10% --since 7d --any',
      why: 'Did it become dearer anywhere in a week',
    },
    {
      run: 'svc catalog check 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --above 0 --field available_count --any --wait 6h --every 10m',
      why: 'Wait until it can be had again',
    },
  ],
  output: PRICE_CHECK_RECORD,
  async run(input, ctx) {
    const condition = conditionOf(input);
    checkModes(input, condition.kind === 'change');
    const judged: Judged = input.all ? 'all' : input.any || condition.kind === 'change' ? 'any' : 'lowest';
    const catalog = openCatalog(ctx.target);
    const incomplete: PagingProblem[] = [];
    let since: number | undefined;
    let missing: readonly string[] = [];
    const readVerdict = async (): Promise<Verdict> => {
      const now = ctx.now();
      since = condition.kind === 'change' ? plainInstant(input.since, now - DAY_MS) : undefined;
      if (since !== undefined && since > now)
        throw new SvcError('invalid_value', `--since is ${wireTime(since)}, after now`);
      incomplete.length = 0;
      const wanted = {
        stores: input.store,
        sources: input.source,
        field: input.field,
        since,
        now,
        maxAgeMs: input.maxAge ?? USUAL_AGE_MS,
      };
      const found = await readings(catalog, input.id, wanted, (problem) => {
        if (problem.incomplete) incomplete.push(problem);
      });
      missing = found.missing;
      const verdict = judge(condition, found.readings, judged);
      // A row that was not read may be the one that decides.
      return incomplete.length === 0 ? verdict : { ...verdict, ok: null };
    };
    const began = ctx.now();
    const verdict = await awaited(readVerdict, judged, input, ctx);
    for (const text of missing) ctx.notice(text);
    const waitedMs = input.wait === undefined ? 0 : ctx.now() - began;
    const { ok, sources, stale } = verdict;
    const over = since === undefined ? {} : { since: wireTime(since) };
    const wanted = `${conditionText(condition)}${since === undefined ? '' : ` since ${wireTime(since)}`} wanted`;
    const waited = input.wait === undefined ? '' : `, after ${formatDuration(Math.floor(waitedMs / 1000) * 1000)}`;
    const doubts = incomplete.map(({ text }) => `; ${text}`).join('');
    const message = `${verdictText(verdict, judged)}${doubts}; ${wanted}${waited}`;
    const answer = ok === null ? 'not_known' : 'condition_false';
    const code = ok ? undefined : input.wait === undefined ? answer : 'still_pending';
    const value = { ok, condition: conditionText(condition), judged, ...over, sources, stale, waitedMs, message };
    return { value, code };
  },
});

interface Modes {
  readonly field: string | undefined;
  readonly since: unknown;
  readonly any: boolean;
  readonly all: boolean;
  readonly wait: number | undefined;
  readonly every: number | undefined;
}

function checkModes({ field, since, any, all, wait, every }: Modes, change: boolean): void {
  if (any && all) throw new SvcError('usage', '--any and --all cannot be used together');
  if (every !== undefined && wait === undefined) {
    throw new SvcError('usage', '--every needs --wait, which says how long to wait');
  }
  if (change && field === 'lowest') {
    throw new SvcError('usage', '--change is of one field, and lowest is now one, now another', {
      hint: 'pass --field price, discount_price, loyal_price or available_count',
    });
  }
  if (!change && since !== undefined) throw new SvcError('usage', '--since has a meaning with --change only');
}

async function awaited(
  read: () => Promise<Verdict>,
  judged: Judged,
  { wait = 0, every = USUAL_EVERY_MS }: Modes,
  ctx: RunContext,
): Promise<Verdict> {
  let last: Verdict = { ok: null, sources: [], stale: [] };
  let shown: string | undefined;
  for await (const { value, outage } of poll(read, { waitMs: wait, intervalMs: every }, ctx)) {
    await ctx.reportOutage(outage);
    if (value === undefined) continue;
    last = value;
    if (value.ok) return value;
    const text = verdictText(value, judged);
    if (wait > 0 && text !== shown) ctx.notice(`${text}; waiting`);
    shown = text;
  }
  return last;
}

function outcomeOf({ ok }: Checked): 'ok' | 'failed' | 'not_known' {
  return ok === null ? 'not_known' : ok ? 'ok' : 'failed';
}
