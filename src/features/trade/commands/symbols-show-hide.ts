/** Shows or hides symbols in the account's table of offers. */
import { type Answer, type Command, listCommand, type RunContext } from '../../../cli/command.ts';
import type { Flags } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { answered, type Plan } from '../../../http/endpoint.ts';
import { shellWord } from '../../../output/escape.ts';
import type { ListOutput } from '../../../output/types.ts';
import type { Caller } from '../client.ts';
import {
  openTradingSession,
  SESSION_FLAGS,
  SYMBOL_ARGUMENT,
  type TradingContext,
  type TradingOptions,
} from '../gateway/trading-session.ts';

interface VisibilityRow {
  readonly symbol: string;
  readonly visible: boolean;
  /** False if nothing had to be sent, null if the change failed. */
  readonly changed: boolean | null;
  readonly message: string | null;
}

const VISIBILITY_LIST: ListOutput<VisibilityRow> = {
  kind: 'list',
  columns: [
    { name: 'symbol', cell: ({ symbol }) => symbol },
    { name: 'visible', cell: ({ visible }) => visible },
    { name: 'changed', cell: ({ changed }) => changed ?? { text: 'failed', tone: 'bad' } },
    { name: 'message', cell: ({ message }) => message, flex: true, optional: true },
  ],
  id: ({ symbol }) => symbol,
};

const VISIBILITY_FLAGS = {
  temporary: {
    type: 'duration',
    positive: true,
    help: 'Change back after this time or Ctrl-C',
  },
  ...SESSION_FLAGS,
} as const satisfies Flags;

interface VisibilityInput extends TradingOptions {
  readonly symbol: readonly string[];
  readonly temporary?: number | undefined;
}

const changingVisibility = (visible: boolean, summary: string, examples: Command['examples']) =>
  listCommand({
    id: `trade symbols ${visible ? 'show' : 'hide'}`,
    summary,
    description: 'Changes the account, and so every program that uses it.',
    details:
      '--temporary changes it back when the command ends, unless the command is killed. The request is not in the interface document: it is as seen on the public implementation.',
    effect: 'write',
    service: 'trade',
    args: { symbol: { ...SYMBOL_ARGUMENT, repeat: true } },
    flags: VISIBILITY_FLAGS,
    exits: ['partly_done'],
    examples,
    output: VISIBILITY_LIST,
    run: (input, ctx) => changeVisibility(visible, input, ctx),
  });

export const tradeSymbolsShow = changingVisibility(true, "Show symbols in the account's offers", [
  { run: 'svc trade symbols show XAU/USD', why: 'Show gold' },
  { run: 'svc trade symbols show XAU/USD --temporary 1h', why: 'Show gold for an hour' },
]);
export const tradeSymbolsHide = changingVisibility(false, "Hide symbols from the account's offers", [
  { run: 'svc trade symbols hide XAU/USD', why: 'Hide gold' },
]);

/** One by one, and only those not in that state yet: each change counts towards a rate limit (doc 3 §8, command 24). */
async function changeVisibility(
  visible: boolean,
  input: VisibilityInput,
  ctx: TradingContext,
): Promise<Answer<readonly VisibilityRow[]>> {
  const changed: string[] = [];
  // Once there is something to change back, an interruption waits for that.
  const life = new AbortController();
  const interrupt = (): void => {
    if (input.temporary === undefined || changed.length === 0) life.abort(ctx.signal.reason);
  };
  ctx.signal.addEventListener('abort', interrupt, { once: true });
  if (ctx.signal.aborted) interrupt();
  const { signal } = life;
  const own = { ...ctx, signal, target: { ...ctx.target, signal } };
  const { session, caller, trading, known } =
    ctx.trading ?? (await openTradingSession(own, { ...input, reconnect: input.temporary !== undefined }));
  try {
    const { setVisible } = await import('../client.ts');
    const { findSymbol } = await import('../symbols.ts');
    const { bulk, bulkAnswer } = await import('../../../cli/bulk.ts');
    const instruments = await trading.instruments();
    const names = instruments.map(({ symbol }) => symbol);
    // All are looked up before the first is changed.
    const wanted = [...new Set(input.symbol.map((symbol) => findSymbol(names, symbol)))];
    const shown = new Map(instruments.map((one) => [one.symbol, one.visible ?? false]));
    known.forget();
    const outcome = await bulk(wanted, 1, async (symbol): Promise<VisibilityRow | Plan> => {
      const isOther = shown.get(symbol) !== visible && !ctx.signal.aborted;
      if (isOther) {
        const plan = await setVisible(caller, symbol, visible);
        if (plan !== undefined) return plan;
        changed.push(symbol);
      }
      return { symbol, visible, changed: isOther, message: null };
    });
    const answer = bulkAnswer(outcome, (symbol, { message }) => {
      return { symbol, visible: shown.get(symbol) ?? false, changed: null, message };
    });
    if (input.temporary === undefined || changed.length === 0) return answer;
    ctx.notice(`changed until ${new Date(ctx.now() + input.temporary).toISOString()} or Ctrl-C`);
    await ctx.sleep(input.temporary, ctx.signal).catch(() => {});
    await changeBack(changed, visible, caller, ctx);
    known.forget();
    ctx.signal.throwIfAborted();
    return answer;
  } finally {
    ctx.signal.removeEventListener('abort', interrupt);
    if (ctx.trading === undefined) await session.close();
  }
}

async function changeBack(
  changed: readonly string[],
  visible: boolean,
  caller: Caller,
  ctx: RunContext,
): Promise<void> {
  const { setVisible } = await import('../client.ts');
  const left: string[] = [];
  let failure: SvcError | undefined;
  for (const symbol of changed) {
    try {
      answered(await setVisible(caller, symbol, !visible));
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      failure = error;
      left.push(symbol);
    }
  }
  if (failure === undefined) {
    ctx.notice('changed back');
    return;
  }
  throw new SvcError(failure.code, `not changed back: ${left.join(', ')}: ${failure.message}`, {
    hint: `svc trade symbols ${visible ? 'hide' : 'show'} ${left.map(shellWord).join(' ')}`,
    cause: failure,
  });
}
