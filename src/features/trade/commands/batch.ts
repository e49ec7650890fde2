import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { type Confirmed, Plan } from '../../../http/endpoint.ts';
import { atLine, readBatch } from '../batch-file.ts';
import { CHANGE_LIST, type ChangeRow, codeOf, hintsOf, isUnknown, rowOf } from '../change-report.ts';
import type { Once } from '../once.ts';
import { checkConfirmable } from '../order-confirmation.ts';
import { CHANGE_FLAGS } from '../order-flags.ts';
import type { Outcome, PlannedRequest } from '../placing.ts';
import { type Change, type ChangeInput, claimed, confirmAll, sendAll } from '../planned-requests.ts';
import { type TableCache, withTableCache } from '../table-cache.ts';

export const tradeBatch = listCommand({
  id: 'trade batch',
  summary: 'Send the orders in a file',
  description:
    'Each line is JSON, such as {"command":"buy","symbol":"EUR/USD","amount":5}: a command (buy, sell, entry buy, entry sell, close, orders cancel, orders update, positions update, oco create) and its arguments and options. svc checks all lines first, then sends each once, and stops at the first failure. It always stops if an outcome is unknown (exit 8).',
  effect: 'money',
  service: 'trade',
  args: { file: { help: 'NDJSON file, or - for standard input', required: true, complete: 'files' } },
  flags: {
    'keep-going': { type: 'boolean', help: 'Continue after a request is refused' },
    ...CHANGE_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc trade batch orders.ndjson',
      why: 'Send the orders in a file',
    },
    { run: 'svc trade batch - --yes -o ndjson', why: 'Read a pipe, print one result per line' },
  ],
  output: {
    ...CHANGE_LIST,
    columns: [{ name: 'line', cell: ({ line }: BatchRow) => line, align: 'right' }, ...CHANGE_LIST.columns],
  },
  run: runBatch,
});

/** One row per request of a line. */
interface BatchRow extends ChangeRow {
  readonly line: number;
}

interface BatchInput extends ChangeInput {
  readonly file: string;
  readonly keepGoing: boolean;
}

interface PlannedLine {
  readonly line: number;
  readonly planned: readonly PlannedRequest[];
  readonly once: Once | undefined;
  /** Of an order that was sent before with the same key. */
  readonly earlier?: Outcome | undefined;
  goesOn(error: SvcError): boolean;
}

async function runBatch(input: BatchInput, ctx: RunContext): Promise<Answer<readonly BatchRow[]>> {
  const text = Buffer.from(await ctx.readInput(input.file)).toString('utf8');
  const lines = await readBatch(text, input.account, ctx);
  if (lines.length === 0) return { value: [], footer: 'the file has no requests; nothing was sent' };
  await checkConfirmable(`send ${lines.length} requests?`, input.account, ctx);
  return withTableCache(ctx, input, async (cache) => {
    const planned: PlannedLine[] = [];
    for (const { line, change } of lines) {
      const { goesOn, once } = change;
      planned.push({ line, goesOn, once, ...(await atLine(line, () => planLine(change, cache, ctx))) });
    }
    const requests = planned.flatMap((one) => one.planned);
    const confirmed = requests.length === 0 ? undefined : await confirmAll(requests, cache, ctx);
    if (confirmed instanceof Plan) return { value: confirmed };
    const outcomes = await sendLines(planned, input, { cache, confirmed }, ctx);
    const value = outcomes.flatMap(({ line, of }) => of.map((outcome) => ({ line, ...rowOf(outcome) })));
    const all = outcomes.flatMap(({ of }) => of);
    return { value, code: codeOf(all), footer: hintsOf(all) };
  });
}

async function planLine(
  change: Change,
  cache: TableCache,
  ctx: RunContext,
): Promise<Pick<PlannedLine, 'planned' | 'earlier'>> {
  if (change.once === undefined || ctx.dryRun) return { planned: await change.plan(cache) };
  const { earlierOutcome } = await import('../once.ts');
  const { outcome, claim } = await earlierOutcome(change.once, { cache, follows: false }, ctx);
  if (outcome !== undefined) return { planned: [], earlier: outcome };
  return { planned: claimed(await change.plan(cache), claim) };
}

async function sendLines(
  lines: readonly PlannedLine[],
  input: BatchInput,
  { cache, confirmed }: { readonly cache: TableCache; readonly confirmed: Confirmed | undefined },
  ctx: RunContext,
): Promise<readonly { readonly line: number; readonly of: readonly Outcome[] }[]> {
  const sent: { line: number; of: readonly Outcome[] }[] = [];
  let isOver = false;
  const bar = ctx.progress(lines.length);
  for (const { line, planned, goesOn, once, earlier } of lines) {
    if (isOver || confirmed === undefined || earlier !== undefined) {
      const of = earlier === undefined ? planned.map((one) => ({ planned: one })) : [earlier];
      sent.push({ line, of });
      isOver ||= stops(of, input);
      continue;
    }
    // Nothing follows an unknown outcome, not even within a line.
    const rule = { goesOn: (error: SvcError) => goesOn(error) && input.keepGoing && !isUnknown(error) };
    await cache.leaveLost();
    let of = await stoppedAt(line, () => sendAll(planned, rule, { confirmed, cache, options: input }, ctx));
    // An earlier line, or another process, has used the key since.
    if (once !== undefined && of.some(({ error }) => error?.code === 'key_conflict')) {
      const { earlierOutcome } = await import('../once.ts');
      const { outcome } = await atLine(line, () => earlierOutcome(once, { cache, follows: false }, ctx));
      if (outcome !== undefined) of = [outcome];
    }
    sent.push({ line, of });
    // The token was accepted earlier, so the gateway lost the session.
    if (of.some(({ error }) => error?.code === 'unauthorized')) await cache.close();
    isOver = stops(of, input);
    bar.step();
  }
  return sent;
}

function stops(of: readonly Outcome[], { keepGoing }: BatchInput): boolean {
  return of.some(({ error }) => error !== undefined && !(keepGoing && !isUnknown(error)));
}

/** After an interruption only the journal shows what was sent. */
async function stoppedAt<T>(line: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message, hint = 'svc trade journal', more } = error;
    throw new SvcError(code, `${message}; this was line ${line}, and all lines before it were sent`, {
      hint,
      more: { ...more, line },
      cause: error,
    });
  }
}
