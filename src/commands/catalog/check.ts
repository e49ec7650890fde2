import { type RunContext, recordCommand } from '../../cli/command.ts';
import { formatDuration } from '../../cli/duration.ts';
import { poll } from '../../cli/poll.ts';
import { SvcError } from '../../errors.ts';
import { readings } from '../../inputs/price-readings.ts';
import {
  conditionOf,
  conditionText,
  type Judged,
  judge,
  type Verdict,
  verdictText,
} from '../../services/catalog/price-condition.ts';
import { plainInstant, wireTime } from '../../services/catalog/window.ts';
import { PRICE_CHECK_RECORD } from '../../views/price-check.ts';

const DAY_MS = 86_400_000;
const USUAL_EVERY_MS = 300_000;

export const catalogCheck = recordCommand({
  id: 'catalog check',
  summary: 'Test a price: 0 if the condition holds, 1 if not',
  description:
    '--below and --above judge the lowest price that the product can be had for now: the lowest of the price, discount_price and loyal_price of all its sources. --field names one of them, or available_count; --any and --all judge each source by itself. --change judges how far the price (or --field) of each source moved since --since, from the first value to the last one that was observed then: 10% either way, +10% a rise, -10% a fall; one source is enough unless --all is given. Limits themselves are not below or above; a change of just so much is enough. What is not known never holds, and with --all every source must be known. With --wait it looks until the condition holds, and ends with 9 where it does not come to that. A failure to ask is neither 0 nor 1.\nIn JSON: ok, condition, judged (lowest, any or all), since (with --change), message, waitedMs, and of each source that was judged parser_name, source_id, series (its name), field, value, unit, observed_at, holds (null where it is not known) and, with --change, first and changePercent.',
  effect: 'read',
  service: 'catalog',
  args: { id: { help: 'The product', required: true, complete: 'products' } },
  flags: {
    below: { type: 'number', value: 'price', help: 'It holds if the price is lower' },
    above: { type: 'number', value: 'price', help: 'It holds if the price is higher' },
    change: { type: 'string', value: 'percent', help: 'It holds if the price moved so far: 10%, +10%, -10%' },
    since: { type: 'time', bare: 'back', dates: true, help: 'With --change: since when (default 1d ago)' },
    field: {
      type: 'choice',
      choices: ['lowest', 'price', 'discount_price', 'loyal_price', 'available_count'],
      help: 'Which value is judged: lowest unless given, with --change price',
    },
    store: {
      type: 'string',
      value: 'name',
      repeat: true,
      complete: 'stores',
      help: 'Only sources of this store (parser_name)',
    },
    source: { type: 'string', value: 'id', repeat: true, complete: 'sources', help: 'Only this source (source_id)' },
    any: { type: 'boolean', help: 'It holds if it does for one source' },
    all: { type: 'boolean', help: 'It holds only if it does for every source' },
    'newer-than': { type: 'duration', help: 'Take what was observed longer ago for not known' },
    wait: { type: 'duration', help: 'Look again until it holds, for so long' },
    every: { type: 'duration', positive: true, help: 'With --wait: time between two looks (5m unless given)' },
  },
  exits: ['condition_false', 'still_pending'],
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
      run: 'svc catalog check 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --above 0 --field available_count --wait 6h --every 10m',
      why: 'Wait until it can be had again',
    },
  ],
  output: PRICE_CHECK_RECORD,
  async run(input, ctx) {
    const condition = conditionOf(input);
    checkModes(input, condition.kind === 'change');
    const judged: Judged = input.all ? 'all' : input.any || condition.kind === 'change' ? 'any' : 'lowest';
    const { openCatalog } = await import('../../services/catalog/client.ts');
    const catalog = openCatalog(ctx.target);
    const wanted = { ...input, stores: input.store, sources: input.source, change: condition.kind === 'change' };
    let since = 0;
    const look = async (): Promise<Verdict> => {
      const now = ctx.now();
      since = plainInstant(input.since?.ms ?? now - DAY_MS, ctx.typed);
      const { known, failure } = await readings(catalog, input.id, { ...wanted, now, since }, ctx);
      const verdict = judge(condition, known, judged);
      // What one source did cannot be told from what another one says: only where that decides it does it not matter.
      if (failure !== undefined && verdict.ok === (judged === 'all')) throw failure;
      return verdict;
    };
    const began = ctx.now();
    const verdict = await awaited(look, judged, input, ctx);
    const waitedMs = input.wait === undefined ? 0 : ctx.now() - began;
    const { ok, sources } = verdict;
    const waited = input.wait === undefined ? '' : `, after ${formatDuration(Math.floor(waitedMs / 1000) * 1000)}`;
    const over = condition.kind === 'change' ? { since: wireTime(since) } : {};
    const wish = [conditionText(condition), ...(over.since === undefined ? [] : [`since ${over.since}`])].join(' ');
    const message = `${verdictText(verdict, judged)}; ${wish} wanted${waited}`;
    const code = ok ? undefined : input.wait === undefined ? 'condition_false' : 'still_pending';
    return { value: { ok, condition: conditionText(condition), judged, ...over, sources, waitedMs, message }, code };
  },
});

interface Modes {
  readonly field: string | undefined;
  readonly since: unknown;
  readonly newerThan: number | undefined;
  readonly any: boolean;
  readonly all: boolean;
  readonly wait: number | undefined;
  readonly every: number | undefined;
}

function checkModes({ field, since, newerThan, any, all, wait, every }: Modes, change: boolean): void {
  if (any && all) throw new SvcError('usage', '--any and --all cannot be used together');
  if (every !== undefined && wait === undefined) {
    throw new SvcError('usage', '--every needs --wait, which says how long to look');
  }
  if (change && field === 'lowest') {
    throw new SvcError('usage', '--change is of one field, and lowest is now one, now another', {
      hint: 'pass --field price, discount_price, loyal_price or available_count',
    });
  }
  if (change && newerThan !== undefined) throw new SvcError('usage', '--newer-than has no meaning with --change');
  if (!change && since !== undefined) throw new SvcError('usage', '--since has a meaning with --change only');
}

async function awaited(
  look: () => Promise<Verdict>,
  judged: Judged,
  { wait = 0, every = USUAL_EVERY_MS }: Modes,
  ctx: RunContext,
): Promise<Verdict> {
  let last: Verdict = { ok: false, sources: [] };
  let told: string | undefined;
  for await (const { value } of poll(look, { waitMs: wait, intervalMs: every }, ctx)) {
    if (value === undefined) continue;
    last = value;
    if (value.ok) return value;
    const text = verdictText(value, judged);
    if (wait > 0 && text !== told) ctx.notice(`${text}; waiting`);
    told = text;
  }
  return last;
}
