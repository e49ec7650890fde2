/** Opens a gateway session for a command: token, pace of connects, rate limits and cached tables. */
import type { RunContext } from '../../../cli/command.ts';
import type { Argument, Flags } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { Secret } from '../../../http/redact.ts';
import type { KnownTables } from '../../../store/known-tables.ts';
import type { AccountsPathMemory, Caller, Trading } from '../client.ts';
import type { CallBudget, CallLimit, Counting } from './counted-caller.ts';
import type { Session } from './session.ts';
import type { Transport } from './session-types.ts';

export const SYMBOL_ARGUMENT = {
  help: 'Symbol, such as EUR/USD or eurusd',
  required: true,
  complete: 'symbols',
} as const satisfies Argument;

/** For orders: rate limits only hold back reads. */
export const TRANSPORT_FLAG = {
  transport: {
    type: 'choice',
    choices: ['auto', 'polling', 'websocket'],
    value: 'kind',
    default: 'auto',
    group: 'Session options',
    help: 'Transport',
  },
} as const satisfies Flags;

export const SESSION_FLAGS = {
  ...TRANSPORT_FLAG,
  budget: {
    type: 'choice',
    choices: ['fail', 'wait', 'ignore'],
    default: 'fail',
    group: 'Session options',
    help: 'At a rate limit',
  },
} as const satisfies Flags;

export interface TradingOptions {
  readonly transport?: Transport;
  readonly budget?: 'fail' | 'wait' | 'ignore';
  readonly reconnect?: boolean;
  readonly awaitGateway?: boolean;
  /** For an order, a cancel or a close, which svc never delays: connecting does not wait for the pace. */
  readonly forOrder?: boolean;
  readonly waitsForReader?: boolean;
}

export interface TradingSession {
  readonly session: Session;
  readonly trading: Trading;
  /** Sends the requests of `trading`. */
  readonly caller: Caller;
  /** The same requests without our own rate limits, which only estimate the gateway's. */
  readonly unlimited: Trading;
  /** Any request, counted as the others are, and its raw response. */
  readonly answer: Session['answer'];
  /** Cached tables of the last day. */
  readonly known: KnownTables;
  readonly budget: CallBudget;
}

/** `trading`: the session of `trade session`, whose commands share it. */
export type TradingContext = RunContext & { readonly trading?: TradingSession };

/** Always closes the session, unless it is shared. */
export async function withTrading<T>(
  ctx: TradingContext,
  options: TradingOptions,
  work: (open: TradingSession) => Promise<T>,
): Promise<T> {
  if (ctx.trading !== undefined) return work(ctx.trading);
  const open = await openTradingSession(ctx, options);
  try {
    return await work(open);
  } finally {
    await open.session.close();
  }
}

/** Connects with the first request. The caller closes the session. */
export async function openTradingSession(
  ctx: RunContext,
  {
    transport = 'auto',
    budget = 'fail',
    reconnect = false,
    awaitGateway = false,
    forOrder = false,
    waitsForReader,
  }: TradingOptions,
): Promise<TradingSession> {
  const { openSession } = await import('./session.ts');
  const { openTrading } = await import('../client.ts');
  const { believed, countCall, countedCaller } = await import('./counted-caller.ts');
  const { explainTrading } = await import('./failed-answer.ts');
  const { connectPace } = await import('../../../store/connect-pace.ts');
  const { knownTables } = await import('../../../store/known-tables.ts');
  const token = await gatewayToken(ctx);
  const address = ctx.target.baseUrl.href;
  const session = openSession(ctx.target, {
    token: () => gatewayToken(ctx),
    transport,
    reconnect,
    awaitGateway,
    waitsForReader,
    onNotice: ctx.notice,
    pace: connectPace(pacing(ctx), ctx.target.baseUrl, { waits: !forOrder }),
    explain: explainTrading,
  });
  const counted = await openBudget(ctx, address, token);
  const counting: Counting = {
    budget: counted,
    atLimit: budget,
    commandNumbers: await commandNumbersOf(ctx),
    waitUntil: async (ms, { cmd }: CallLimit) => {
      ctx.target.log.warn(`the rate limit of command ${cmd} is reached; waiting until ${new Date(ms).toISOString()}`);
      await ctx.sleep(Math.max(0, ms - ctx.now()), ctx.signal);
    },
  };
  const answer: Session['answer'] = async (endpoint, values, confirmed) => {
    // Only reads are held back.
    const own: Counting = endpoint.effect === 'read' ? counting : { ...counting, atLimit: 'ignore' };
    const limit = ctx.dryRun ? undefined : await countCall(endpoint, values, own);
    return believed(session.answer(endpoint, values, confirmed), counted, limit);
  };
  const known = knownTables(ctx.paths, { address, token: token.reveal() }, ctx);
  const caller = countedCaller(session, counting);
  return {
    session,
    caller,
    trading: openTrading(caller, accountsPathOf(known)),
    unlimited: openTrading(countedCaller(session, { ...counting, atLimit: 'ignore' }), accountsPathOf(known)),
    answer,
    known,
    budget: counted,
  };
}

/** A wait is announced at once, in every format. */
function pacing(ctx: RunContext) {
  return { ...ctx, notice: (text: string) => ctx.target.log.warn(text) };
}

/** Cached as one of the tables, for a day. */
function accountsPathOf(known: KnownTables): AccountsPathMemory {
  const table = 'path of the accounts';
  return {
    read: () => (known.read(table)?.[0]?.['path'] === 'common' ? 'common' : 'documented'),
    keep: (path) => known.keep(table, [{ path }]),
  };
}

/** Opens and closes a session. Throws `unauthorized` if the gateway refuses the token. */
export async function tryToken(token: () => Secret | Promise<Secret>, ctx: RunContext): Promise<void> {
  const { openSession } = await import('./session.ts');
  const { connectPace } = await import('../../../store/connect-pace.ts');
  const session = openSession(ctx.target, {
    token,
    onNotice: ctx.notice,
    pace: connectPace(pacing(ctx), ctx.target.baseUrl),
  });
  try {
    await session.connect();
  } finally {
    await session.close();
  }
}

/** From the environment or the profile, or stored by `svc trade login`. */
export async function gatewayToken({ target }: RunContext): Promise<Secret> {
  const { authorization = '' } = (await target.authorizer?.header()) ?? target.headers;
  const token = /^Bearer (\S+)$/.exec(authorization)?.[1];
  if (token !== undefined) return new Secret(token);
  throw new SvcError('unauthorized', 'no API token for the trading gateway', {
    hint: 'store a token: svc trade login (or set SVC_TRADE_TOKEN)',
  });
}

/** Command numbers with the corrections of the settings. */
export async function commandNumbersOf({ settings }: RunContext): Promise<Readonly<Record<string, number>>> {
  const { commandNumbers } = await import('./counted-caller.ts');
  const numbers = commandNumbers(settings.get('trade.commandNumbers'));
  if (numbers !== undefined) return numbers;
  throw new SvcError('config_invalid', 'trade.commandNumbers is not of the form Order=46,Account=79', {
    hint: 'svc config unset trade.commandNumbers',
  });
}

/** A full disk does not stop requests: the gateway counts them, too. */
export async function openBudget(ctx: Omit<RunContext, 'target'>, address: string, token: Secret): Promise<CallBudget> {
  const { budgetPath, CallBudgetFile } = await import('../../../store/call-budget.ts');
  const file = new CallBudgetFile(budgetPath(ctx.paths, address, token.reveal()), ctx);
  const tried = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
      ctx.notice(`svc cannot count calls: ${error.message}`);
      return otherwise;
    }
  };
  return {
    take: (limit) => tried(file.take(limit), undefined),
    fill: (limit) => tried(file.fill(limit), ctx.now() + limit.windowMs),
  };
}
