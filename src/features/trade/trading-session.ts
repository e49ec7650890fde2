/** Opens a session with the trading gateway as a command needs it: the token, the pace of connects, the caps on calls. */
import type { RunContext } from '../../cli/command.ts';
import type { Flags } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { Secret } from '../../http/redact.ts';
import type { KnownTables } from '../../store/known-tables.ts';
import type { AccountsPathMemory, Caller, Trading } from './client.ts';
import type { CallBudget, CallLimit, Counting } from './counted-caller.ts';
import type { Session, Transport } from './session-types.ts';

/** Of what trades: the caps on calls hold reads back, and never an order. */
export const TRANSPORT_FLAG = {
  transport: {
    type: 'choice',
    choices: ['auto', 'polling', 'websocket'],
    default: 'auto',
    help: 'What carries the session',
  },
} as const satisfies Flags;

export const SESSION_FLAGS = {
  ...TRANSPORT_FLAG,
  budget: {
    type: 'choice',
    choices: ['fail', 'wait', 'ignore'],
    default: 'fail',
    help: 'What to do where the cap on calls of a command is used up',
  },
} as const satisfies Flags;

export interface TradingOptions {
  readonly transport?: Transport;
  readonly budget?: 'fail' | 'wait' | 'ignore';
  readonly reconnect?: boolean;
  readonly awaitGateway?: boolean;
  /** It is opened for a close, a cancel or an order, which svc never delays: connecting waits for no pace. */
  readonly forOrder?: boolean;
}

export interface TradingSession {
  readonly session: Session;
  readonly trading: Trading;
  /** What `trading` asks with. */
  readonly caller: Caller;
  /** The same requests, also where the calls are used up by what was counted here: that is a guess at what the gateway counts. */
  readonly unlimited: Trading;
  /** Any request, counted as the others are, and its answer as it came. */
  readonly answer: Session['answer'];
  /** Accounts and offers of the last day. */
  readonly known: KnownTables;
  /** Of the calls that are counted. */
  readonly budget: CallBudget;
}

/** Ends the session, whatever becomes of the work. */
export async function withTrading<T>(
  ctx: RunContext,
  options: TradingOptions,
  work: (open: TradingSession) => Promise<T>,
): Promise<T> {
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
  { transport = 'auto', budget = 'fail', reconnect = false, awaitGateway = false, forOrder = false }: TradingOptions,
): Promise<TradingSession> {
  const { openSession } = await import('./session.ts');
  const { openTrading } = await import('./client.ts');
  const { believed, countCall, countedCaller } = await import('./counted-caller.ts');
  const { explainTrading } = await import('./failed-answer.ts');
  const { connectPace } = await import('../../store/connect-pace.ts');
  const { knownTables } = await import('../../store/known-tables.ts');
  const token = await gatewayToken(ctx);
  const address = ctx.target.baseUrl.href;
  const session = openSession(ctx.target, {
    token: () => token,
    transport,
    reconnect,
    awaitGateway,
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
      ctx.target.log.warn(`the calls of command ${cmd} are used up: waiting until ${new Date(ms).toISOString()}`);
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

/** Kept as one of the tables, for a day. */
function accountsPathOf(known: KnownTables): AccountsPathMemory {
  const table = 'path of the accounts';
  return {
    read: () => (known.read(table)?.[0]?.['path'] === 'common' ? 'common' : 'documented'),
    keep: (path) => known.keep(table, [{ path }]),
  };
}

/** Opens a session with the token and leaves it. Throws `unauthorized` where the gateway does not take it. */
export async function tryToken(token: string, ctx: RunContext): Promise<void> {
  const { openSession } = await import('./session.ts');
  const { connectPace } = await import('../../store/connect-pace.ts');
  const session = openSession(ctx.target, {
    token: () => new Secret(token),
    onNotice: ctx.notice,
    pace: connectPace(pacing(ctx), ctx.target.baseUrl),
  });
  try {
    await session.connect();
  } finally {
    await session.close();
  }
}

/** From the environment, or kept by `svc trade login`. */
export async function gatewayToken({ target }: RunContext): Promise<Secret> {
  const { authorization = '' } = (await target.authorizer?.header()) ?? target.headers;
  const token = /^Bearer (\S+)$/.exec(authorization)?.[1];
  if (token !== undefined) return new Secret(token);
  throw new SvcError('unauthorized', 'the trading gateway takes an API token, and nothing else', {
    hint: 'keep one with: svc trade login (or set SVC_TRADE_TOKEN)',
  });
}

/** The table with the corrections of the settings. */
export async function commandNumbersOf({ settings }: RunContext): Promise<Readonly<Record<string, number>>> {
  const { commandNumbers } = await import('./counted-caller.ts');
  const numbers = commandNumbers(settings.get('trade.commandNumbers'));
  if (numbers !== undefined) return numbers;
  throw new SvcError('config_invalid', 'trade.commandNumbers is not of the form Order=46,Account=79', {
    hint: 'svc config unset trade.commandNumbers',
  });
}

/** A disk that takes nothing is no reason not to ask: the gateway counts, too. */
export async function openBudget(ctx: Omit<RunContext, 'target'>, address: string, token: Secret): Promise<CallBudget> {
  const { budgetPath, CallBudgetFile } = await import('../../store/call-budget.ts');
  const file = new CallBudgetFile(budgetPath(ctx.paths, address, token.reveal()), ctx);
  const tried = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
      ctx.notice(`calls cannot be counted here: ${error.message}`);
      return otherwise;
    }
  };
  return {
    take: (limit) => tried(file.take(limit), undefined),
    fill: (limit) => tried(file.fill(limit), ctx.now() + limit.windowMs),
  };
}
