import { type Answer, type RunContext, recordCommand } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { poll } from '../../../cli/poll.ts';
import { zoneOf } from '../../../cli/time.ts';
import { formatDuration } from '../../../duration.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import type { ListOutput, RecordOutput, Tone } from '../../../output/types.ts';
import { type Catalog, openCatalog } from '../api.ts';
import { type PagingProblem, readingProblems, SOURCE_FLAGS, TZ_FLAG } from '../lists.ts';
import {
  type Condition,
  conditionOf,
  conditionText,
  type Judged,
  judge,
  type ReadingWanted,
  readPrices,
  type Verdict,
  verdictText,
} from '../price-check.ts';
import { type SourceSelection, sourceSelection } from '../product-sources.ts';
import {
  readProducts,
  SELECTION_ARGUMENT,
  SELECTION_DETAILS,
  SELECTION_FLAGS,
  selectedProducts,
  severalProducts,
} from '../selection.ts';
import { PRICE_FIELDS } from '../series.ts';
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
  readonly waited_ms: number;
  /** What was found and what was wanted, in words. */
  readonly message: string;
}

interface CheckedProduct extends Checked {
  readonly canonical_product_id: string;
  readonly title: string;
}

const PRICE_CHECK_RECORD: RecordOutput<Checked> = {
  kind: 'record',
  columns: [
    { name: 'ok', cell: ({ ok }) => ok ?? 'unknown' },
    { name: 'condition', cell: ({ condition }) => condition },
    { name: 'judged', cell: ({ judged }) => judged },
    { name: 'values', cell: ({ sources }) => sources.map(({ series, value }) => `${series} ${value ?? '-'}`) },
    { name: 'message', cell: ({ message }) => message },
  ],
  id: (checked) => outcomeOf(checked),
  line: (checked) => ({ text: `${outcomeText(checked)}: ${checked.message}`, tone: toneOf(checked) }),
};

/** Ids are those of the products for which the condition is true. */
const PRICE_CHECK_LIST: ListOutput<CheckedProduct> = {
  kind: 'list',
  columns: [
    { name: 'result', cell: (checked) => ({ text: outcomeText(checked), tone: toneOf(checked) }) },
    { name: 'product', cell: (checked) => checked.canonical_product_id, wide: true },
    { name: 'title', cell: ({ title }) => title, shrinks: true, vital: true },
    { name: 'found', cell: ({ message }) => message, shrinks: true },
  ],
  id: (checked) => (checked.ok ? checked.canonical_product_id : undefined),
};

export const catalogCheck = recordCommand({
  id: 'catalog check',
  summary: 'Check prices: exit 0 if true, 1 if false, 11 if unknown',
  description:
    'An offer is the price of one store in one place for one unit, as last observed. --below and --above compare the lowest price of all offers. --change compares with the value at --since: 10% either way, +10% up, -10% down. Of several products, one is enough.',
  details: `--below and --above use the lowest of price, discount_price and loyal_price, --change uses price unless --field says lowest; --field selects one of them or available_count. --any and --all check each offer separately; --change needs only one offer unless --all is given. A price equal to the limit is neither below nor above it; a change equal to the limit is enough. The value at --since may have been observed earlier. With --all, one offer without a current value makes the status 11. --per divides each price by the size of its package and rounds it to cents. --wait repeats the check until the condition is true and exits 9 on timeout.\n${SELECTION_DETAILS} -q prints the ids of those for which the condition is true. JSON of several products is an array, also with canonical_product_id and title.\nIn JSON: ok (null if unknown), condition, judged (lowest, any or all), since (with --change), message, waited_ms, sources (the offers that were checked) and stale (those that are too old). Each offer has parser_name, source_id (its newest source), series (its name), field, value, unit, observed_at, stale and, with --change, first and change_percent; those that were checked also have holds (null if unknown).`,
  effect: 'read',
  service: 'catalog',
  streams: ({ wait }) => wait !== undefined,
  args: SELECTION_ARGUMENT,
  flags: {
    below: { type: 'number', value: 'price', help: 'True if the price is lower' },
    above: { type: 'number', value: 'price', help: 'True if the price is higher' },
    change: { type: 'string', value: 'percent', help: 'True if the price changed: 10%, +10%, -10%' },
    since: { type: 'time', bare: 'back', dates: true, help: 'With --change: since when (default 1d ago)' },
    tz: { ...TZ_FLAG, rare: true, help: 'Time zone of a date in --since (default local)' },
    field: {
      type: 'choice',
      choices: [...PRICE_FIELDS, 'available_count'],
      help: 'Value to check (default lowest; with --change: price)',
    },
    source: { ...SOURCE_FLAGS.source, rare: true },
    per: { ...PER_FLAG, rare: true },
    ...SELECTION_FLAGS,
    any: { type: 'boolean', rare: true, help: 'True if any one offer meets the condition' },
    all: { type: 'boolean', rare: true, help: 'True only if every offer meets the condition' },
    'max-age': { type: 'duration', positive: true, rare: true, help: 'Ignore older values (default 7d)' },
    wait: { type: 'duration', help: 'Repeat the check for up to this long' },
    interval: {
      type: 'duration',
      positive: true,
      help: 'With --wait: time between checks (default 5m)',
    },
  },
  exits: ['condition_false', 'still_pending', 'not_known', 'partly_done'],
  examples: [
    {
      run: 'svc catalog check 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --below 80',
      why: 'In a script: continue only if the price is low',
    },
    {
      run: 'svc catalog check --file watched.txt --change -10% --since 7d -q',
      why: 'The ids of a watch list whose price fell by 10% in a week',
    },
    {
      run: 'svc catalog check 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --above 0 --field available_count --any --wait 6h --interval 10m',
      why: 'Wait until the product is available again',
    },
  ],
  output: PRICE_CHECK_RECORD,
  outputOf: (input) => (severalProducts(input) ? PRICE_CHECK_LIST : PRICE_CHECK_RECORD),
  async run(input, ctx) {
    const condition = conditionOf(input);
    checkModes(input, condition.kind === 'change');
    const judged = judgedBy(input, condition);
    const catalog = openCatalog(ctx.target);
    const problems = readingProblems(ctx);
    const selection = await sourceSelection(catalog, input, problems.report);
    const ids = await selectedProducts(catalog, input, selection, ctx, problems.report);
    // A product that the selection misses may be the one that decides.
    const doubt = problems.code && '; the selection is not complete';
    const saying = sayOnce(ctx);
    const readAll = async (): Promise<Round> => {
      const wanted = wantedNow(input, condition, selection, ctx);
      const { products, code } = await readProducts(ids, saying, (id) =>
        judgeProduct(catalog, id, wanted, { condition, judged, doubt }, saying),
      );
      return { found: products.map(({ result }) => result), skipped: code, since: wanted.since };
    };
    const { found, skipped, since } = await pollChecks(readAll, input, ctx);
    const waited_ms = input.wait === undefined ? 0 : ctx.now() - ctx.startedAt;
    const over = since === undefined ? {} : { since: wireTime(since) };
    const goal = goalText(condition, since, input.wait === undefined ? undefined : waited_ms);
    const several = severalProducts(input);
    const rows = found.map(({ id, title, verdict, doubts }): CheckedProduct => {
      const text = `${verdictText(verdict, judged)}${doubts}`;
      const message = several ? text : `${text}; ${goal}`;
      const checked = { ok: verdict.ok, condition: conditionText(condition), judged, ...over };
      const { sources, stale } = verdict;
      return { canonical_product_id: id, title, ...checked, sources, stale, waited_ms, message };
    });
    const code = codeOf(okOf(found), skipped, input);
    if (several) return { value: rows, as: PRICE_CHECK_LIST, code, footer: `${countText(rows)}; ${goal}` };
    const { canonical_product_id: _, title: __, ...value } = rows[0] as CheckedProduct;
    return { value, code } as Answer<Checked>;
  },
});

function judgedBy({ all, any }: Modes, { kind }: Condition): Judged {
  if (all) return 'all';
  return any || kind === 'change' ? 'any' : 'lowest';
}

/** With --wait, each round may find the same problems. */
function sayOnce(ctx: RunContext): Pick<RunContext, 'notice' | 'warn'> {
  const said = new Set<string>();
  const once = (say: (text: string) => void) => (text: string) => {
    if (!said.has(text)) say(text);
    said.add(text);
  };
  return { notice: once(ctx.notice), warn: once(ctx.warn) };
}

/** `expected below 80, after 5m` */
function goalText(condition: Condition, since: number | undefined, waitedMs: number | undefined): string {
  const start = since === undefined ? '' : ` since ${wireTime(since)}`;
  const end = waitedMs === undefined ? '' : `, after ${formatDuration(Math.floor(waitedMs / 1000) * 1000)}`;
  return `expected ${conditionText(condition)}${start}${end}`;
}

interface Round {
  readonly found: readonly Found[];
  /** Set if some products could not be read. */
  readonly skipped: ErrorCode | undefined;
  readonly since: number | undefined;
}

/** What was found of one product. */
interface Found {
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
  /** Beginning with `; `. */
  readonly doubts: string;
}

interface CheckInput extends Modes {
  readonly tz: string | undefined;
  readonly field: ReadingWanted['field'];
  readonly per: ReadingWanted['per'];
  readonly maxAge: number | undefined;
}

function wantedNow(input: CheckInput, { kind }: Condition, selection: SourceSelection, ctx: RunContext): ReadingWanted {
  const now = input.wait === undefined ? ctx.startedAt : ctx.now();
  const zone = zoneOf(input.tz ?? 'local');
  const since = kind === 'change' ? plainInstant(input.since, now - DAY_MS, zone) : undefined;
  if (since !== undefined && since > now)
    throw new SvcError('invalid_value', `--since is ${wireTime(since)}, after now`);
  const { field, per, maxAge: maxAgeMs = USUAL_AGE_MS } = input;
  return { ...selection, field, per, since, now, maxAgeMs };
}

interface Judgement {
  readonly condition: Condition;
  readonly judged: Judged;
  /** Why the selection may lack a product. */
  readonly doubt: string | undefined;
}

/** A row that was not read may be the one that decides. */
async function judgeProduct(
  catalog: Catalog,
  id: string,
  wanted: ReadingWanted,
  { condition, judged, doubt = '' }: Judgement,
  ctx: Pick<RunContext, 'notice'>,
): Promise<Found> {
  let doubts = doubt;
  const report = ({ text, incomplete }: PagingProblem): void => {
    if (incomplete) doubts += `; ${text}`;
    else ctx.notice(text);
  };
  const { title, readings } = await readPrices(catalog, id, wanted, report);
  const verdict = judge(condition, readings, judged);
  return { id, title, verdict: doubts === '' ? verdict : { ...verdict, ok: null }, doubts };
}

function countText(rows: readonly CheckedProduct[]): string {
  const count = (wanted: boolean | null) => rows.filter((row) => row.ok === wanted).length;
  const unknown = count(null) === 0 ? '' : `, unknown for ${count(null)}`;
  return `true for ${count(true)} of ${rows.length}${unknown}`;
}

function codeOf(ok: boolean | null, skipped: ErrorCode | undefined, { wait }: Modes): ErrorCode | undefined {
  if (ok) return skipped;
  if (wait !== undefined) return 'still_pending';
  // The condition may be true for a product that could not be read.
  return ok === null || skipped !== undefined ? 'not_known' : 'condition_false';
}

/** Whether it is true for one product at least. */
function okOf(found: readonly Found[]): boolean | null {
  const outcomes = found.map(({ verdict }) => verdict.ok);
  return outcomes.includes(true) || (outcomes.length === 0 || outcomes.includes(null) ? null : false);
}

interface Modes {
  readonly since: Instant | undefined;
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

/** The last round, which is the first that finds it true. */
async function pollChecks(
  read: () => Promise<Round>,
  { wait = 0, interval = USUAL_INTERVAL_MS }: Modes,
  ctx: RunContext,
): Promise<Round> {
  let last: Round = { found: [], skipped: undefined, since: undefined };
  for await (const { value, outage } of poll(read, { waitMs: wait, intervalMs: interval }, ctx)) {
    await ctx.reportOutage(outage);
    last = value ?? last;
    if (okOf(last.found)) break;
  }
  return last;
}

function outcomeOf({ ok }: Checked): 'ok' | 'failed' | 'not_known' {
  if (ok === null) return 'not_known';
  return ok ? 'ok' : 'failed';
}

function outcomeText({ ok }: Checked): string {
  if (ok === null) return 'unknown';
  return ok ? 'ok' : 'failed';
}

function toneOf({ ok }: Checked): Tone {
  if (ok === null) return 'warn';
  return ok ? 'good' : 'bad';
}
