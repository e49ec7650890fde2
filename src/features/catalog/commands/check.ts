import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { poll } from '../../../cli/poll.ts';
import { formatDuration } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { zoneOf } from '../../../output/zone.ts';
import { openCatalog } from '../api.ts';
import { type PagingProblem, PRODUCT_ARGUMENT, SOURCE_FLAGS, TZ_FLAG } from '../lists.ts';
import { conditionOf, conditionText, type Judged, judge, readings, type Verdict, verdictText } from '../price-check.ts';
import { productNames } from '../product-names.ts';
import { PER_FLAG } from '../unit-price.ts';
import { plainInstant, wireTime } from '../window.ts';

const DAY_MS = 86_400_000;
const USUAL_AGE_MS = 7 * DAY_MS;
const USUAL_INTERVAL_MS = 300_000;

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
    { name: 'ok', cell: ({ ok }) => ok ?? 'unknown' },
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
    text: `${checked.ok === null ? 'unknown' : outcomeOf(checked)}: ${checked.message}`,
    tone: checked.ok === null ? 'warn' : checked.ok ? 'good' : 'bad',
  }),
};

export const catalogCheck = recordCommand({
  id: 'catalog check',
  summary: 'Check a price: exit 0 if true, 1 if false, 11 if unknown',
  description:
    'An offer is the price of one store in one place for one unit, as last observed. --below and --above compare the lowest price of all offers. --change compares with the value at --since: 10% either way, +10% up, -10% down. Values older than --max-age are ignored. Without a current value the status is 11.',
  details:
    '--below and --above use the lowest of price, discount_price and loyal_price, --change uses price unless --field says lowest; --field selects one of them or available_count. --any and --all check each offer separately; --change needs only one offer unless --all is given. A price equal to the limit is neither below nor above it; a change equal to the limit is enough. The value at --since may have been observed earlier. With --all, one offer without a current value makes the status 11. --per divides each price by the size of its package and rounds it to cents. --wait repeats the check until the condition is true and exits 9 on timeout.\nIn JSON: ok (null if unknown), condition, judged (lowest, any or all), since (with --change), message, waitedMs, sources (the offers that were checked) and stale (those that are too old). Each offer has parser_name, source_id (its newest source), series (its name), field, value, unit, observed_at, stale and, with --change, first and changePercent; those that were checked also have holds (null if unknown).',
  effect: 'read',
  service: 'catalog',
  streams: ({ wait }) => wait !== undefined,
  args: { id: PRODUCT_ARGUMENT },
  flags: {
    below: { type: 'number', value: 'price', help: 'True if the price is lower' },
    above: { type: 'number', value: 'price', help: 'True if the price is higher' },
    change: { type: 'string', value: 'percent', help: 'True if the price changed: 10%, +10%, -10%' },
    since: {
      type: 'time',
      bare: 'back',
      dates: true,
      help: 'With --change: compare with this time (default 1d ago)',
    },
    tz: { ...TZ_FLAG, help: 'Time zone of a date in --since (default local)' },
    field: {
      type: 'choice',
      choices: ['lowest', 'price', 'discount_price', 'loyal_price', 'available_count'],
      help: 'Value to check (default lowest; with --change: price)',
    },
    ...SOURCE_FLAGS,
    per: PER_FLAG,
    any: { type: 'boolean', help: 'True if any one offer meets the condition' },
    all: { type: 'boolean', help: 'True only if every offer meets the condition' },
    'max-age': { type: 'duration', positive: true, help: 'Ignore older values (default 7d)' },
    wait: { type: 'duration', help: 'Repeat the check for up to this long' },
    interval: {
      type: 'duration',
      positive: true,
      formerly: ['every'],
      help: 'With --wait: time between checks (default 5m)',
    },
  },
  exits: ['condition_false', 'still_pending', 'not_known'],
  examples: [
    {
      run: 'svc catalog check 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --below 80',
      why: 'In a script: continue only if the price is low',
    },
    {
      run: 'svc catalog check 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --change +10% --since 7d --any',
      why: 'Check whether any price rose by 10% in a week',
    },
    {
      run: 'svc catalog check 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --above 0 --field available_count --any --wait 6h --interval 10m',
      why: 'Wait until the product is available again',
    },
  ],
  output: PRICE_CHECK_RECORD,
  async run(input, ctx) {
    const condition = conditionOf(input);
    checkModes(input, condition.kind === 'change');
    const judged: Judged = input.all ? 'all' : input.any || condition.kind === 'change' ? 'any' : 'lowest';
    const catalog = openCatalog(ctx.target);
    const names = productNames(catalog, ctx);
    const zone = zoneOf(input.tz ?? 'local');
    const incomplete: PagingProblem[] = [];
    let since: number | undefined;
    let missing: readonly string[] = [];
    const readVerdict = async (): Promise<Verdict> => {
      const now = ctx.now();
      since = condition.kind === 'change' ? plainInstant(input.since, now - DAY_MS, zone) : undefined;
      if (since !== undefined && since > now)
        throw new SvcError('invalid_value', `--since is ${wireTime(since)}, after now`);
      incomplete.length = 0;
      const wanted = {
        stores: input.store,
        sources: input.source,
        field: input.field,
        per: input.per,
        since,
        now,
        maxAgeMs: input.maxAge ?? USUAL_AGE_MS,
      };
      const report = (problem: PagingProblem): void => {
        if (problem.incomplete) incomplete.push(problem);
      };
      const found = await names.read(input.id, (id) => readings(catalog, id, wanted, report));
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
  readonly since: unknown;
  readonly any: boolean;
  readonly all: boolean;
  readonly wait: number | undefined;
  readonly interval: number | undefined;
}

function checkModes({ since, any, all, wait, interval }: Modes, change: boolean): void {
  if (any && all) throw new SvcError('usage', '--any and --all cannot be used together');
  if (interval !== undefined && wait === undefined) {
    throw new SvcError('usage', '--interval needs --wait, which says how long to wait');
  }
  if (!change && since !== undefined) throw new SvcError('usage', '--since needs --change');
}

async function awaited(
  read: () => Promise<Verdict>,
  judged: Judged,
  { wait = 0, interval = USUAL_INTERVAL_MS }: Modes,
  ctx: RunContext,
): Promise<Verdict> {
  let last: Verdict = { ok: null, sources: [], stale: [] };
  let shown: string | undefined;
  for await (const { value, outage } of poll(read, { waitMs: wait, intervalMs: interval }, ctx)) {
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
