import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { type Confirmed, Plan } from '../../../http/endpoint.ts';
import { atLine, readBatch } from '../batch-file.ts';
import { CHANGE_LIST, type ChangeRow, codeOf, hintsOf, isUnknown, rowOf } from '../change-report.ts';
import { checkConfirmable } from '../order-confirmation.ts';
import { CHANGE_FLAGS } from '../order-flags.ts';
import type { Outcome, PlannedRequest } from '../placing.ts';
import { type ChangeInput, confirmAll, sendAll } from '../planned-requests.ts';
import { type TableCache, withTableCache } from '../table-cache.ts';

export const tradeBatch = listCommand({
  id: 'trade batch',
  summary: 'Send the orders of a file in one session',
  description:
    'A line of JSON each: "command" is buy, sell, entry buy, entry sell, close, order cancel, order set, position set or oco create, and the other names are those of its arguments and options. All lines are checked and looked up before the first one is sent, and confirmed together. They are sent one after the other, each once, until the first one that fails; --keep-going goes on after one that was refused, and nothing goes on after one whose outcome is not known. The exit status is 10 where only some of them were done, and 8 where the outcome of one is not known. Of the requests the interface document shows those of buy and sell at market and of entry orders: the others, and what their help says of options, are as seen on the public implementation.',
  effect: 'money',
  service: 'trade',
  args: { file: { help: 'Its lines, or - for standard input', required: true, complete: 'files' } },
  flags: {
    'keep-going': { type: 'boolean', help: 'Go on after a request that was refused' },
    ...CHANGE_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc trade batch orders.ndjson',
      why: 'Lines as {"command": "buy", "symbol": "EUR/USD", "amount": 5}',
    },
    { run: 'svc trade batch - --yes -o ndjson', why: 'From a pipe, a result a line' },
  ],
  output: {
    ...CHANGE_LIST,
    columns: [{ name: 'line', cell: ({ line }: BatchRow) => line, align: 'right' }, ...CHANGE_LIST.columns],
  },
  run: runBatch,
});

/** A line that takes several requests has as many rows. */
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
  goesOn(error: SvcError): boolean;
}

async function runBatch(input: BatchInput, ctx: RunContext): Promise<Answer<readonly BatchRow[]>> {
  const text = Buffer.from(await ctx.readInput(input.file)).toString('utf8');
  const lines = await readBatch(text, input.account, ctx);
  if (lines.length === 0) return { value: [], footer: 'there is no request in it: nothing was sent' };
  await checkConfirmable(`send ${lines.length} requests?`, input.account, ctx);
  return withTableCache(ctx, input, async (cache) => {
    const planned: PlannedLine[] = [];
    for (const { line, change } of lines) {
      planned.push({ line, planned: await atLine(line, () => change.plan(cache)), goesOn: change.goesOn });
    }
    const confirmed = await confirmAll(
      planned.flatMap((one) => one.planned),
      cache,
      ctx,
    );
    if (confirmed instanceof Plan) return { value: confirmed };
    const outcomes = await sendLines(planned, input, { cache, confirmed }, ctx);
    const value = outcomes.flatMap(({ line, of }) => of.map((outcome) => ({ line, ...rowOf(outcome) })));
    const all = outcomes.flatMap(({ of }) => of);
    return { value, code: codeOf(all), footer: hintsOf(all) };
  });
}

async function sendLines(
  lines: readonly PlannedLine[],
  input: BatchInput,
  { cache, confirmed }: { readonly cache: TableCache; readonly confirmed: Confirmed },
  ctx: RunContext,
): Promise<readonly { readonly line: number; readonly of: readonly Outcome[] }[]> {
  const sent: { line: number; of: readonly Outcome[] }[] = [];
  let isOver = false;
  const bar = ctx.progress(lines.length);
  for (const { line, planned, goesOn } of lines) {
    if (isOver) {
      sent.push({ line, of: planned.map((one) => ({ planned: one })) });
      continue;
    }
    // Nothing follows an outcome that is not known: not within a line, either.
    const rule = { goesOn: (error: SvcError) => goesOn(error) && input.keepGoing && !isUnknown(error) };
    await cache.leaveLost();
    const of = await stoppedAt(line, () => sendAll(planned, rule, { confirmed, cache, options: input }, ctx));
    sent.push({ line, of });
    // The token was let in, so it is the session that the gateway no longer knows.
    if (of.some(({ error }) => error?.code === 'unauthorized')) await cache.close();
    isOver = of.some(({ error }) => error !== undefined && !(input.keepGoing && !isUnknown(error)));
    bar.step();
  }
  return sent;
}

/** An interruption ends everything: what was sent by then stands in the journal alone. */
async function stoppedAt<T>(line: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message, hint = 'svc trade journal', more } = error;
    throw new SvcError(code, `${message}; that was line ${line}, and those before it were sent`, {
      hint,
      more: { ...more, line },
      cause: error,
    });
  }
}
