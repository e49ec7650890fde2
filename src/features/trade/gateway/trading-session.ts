/** Opens a gateway session for a command: token, pace of connects and rate limits. */
import type { RunContext } from '../../../cli/command.ts';
import type { Argument } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { isLoopback } from '../../../http/address.ts';
import { Secret } from '../../../http/redact.ts';
import type { Target } from '../../../http/target.ts';
import { CallCounts, type CountsContext } from '../../../store/call-counts.ts';
import { openTrading, type Trading } from '../client.ts';
import { countCall, countedReader, fillIfRefused, takeCall } from './counted-caller.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';

export const SYMBOL_ARGUMENT = {
  help: 'Symbol, such as EUR/USD or eurusd',
  required: true,
  complete: 'symbols',
} as const satisfies Argument;

export interface TradingOptions {
  readonly reconnect?: boolean;
  /** Keeps trying if the first connection fails. */
  readonly awaitGateway?: boolean;
  /** An order, a cancel or a close: our own rate limits, an estimate, never delay or refuse it. */
  readonly forOrder?: boolean;
}

export interface TradingSession {
  readonly session: Session;
  readonly trading: Trading;
  /** Any request, counted as the others are, and its raw response. */
  readonly answer: Session['answer'];
  /** Of this gateway and token. */
  readonly counts: CallCounts;
}

/** What a session needs of the context of a command. */
export type SessionContext = Pick<RunContext, 'target' | 'settings' | 'dryRun' | 'sleep'> & CountsContext;

/** Always closes the session. */
export async function withTrading<T>(
  ctx: SessionContext,
  work: (open: TradingSession) => Promise<T>,
  options: TradingOptions = {},
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
  ctx: SessionContext,
  { reconnect = false, awaitGateway = false, forOrder = false }: TradingOptions,
): Promise<TradingSession> {
  const token = await gatewayToken(ctx);
  const counts = openCounts(ctx.target, token, ctx, { forOrder });
  const session = openSession(ctx.target, {
    token: () => gatewayToken(ctx),
    reconnect,
    awaitGateway,
    onNotice: ctx.notice,
    pace: connectPace(ctx.target, counts, ctx, { forOrder }),
  });
  const answer: Session['answer'] = async (endpoint, values, confirmed) => {
    const countRequest = endpoint.effect === 'read' ? takeCall : countCall;
    const limit = ctx.dryRun ? undefined : await countRequest(endpoint, values, counts);
    return fillIfRefused(session.answer(endpoint, values, confirmed), counts, limit);
  };
  return {
    session,
    trading: openTrading(countedReader(session, forOrder ? countCall : takeCall, counts)),
    answer,
    counts,
  };
}

/** The counts of all processes of this user. */
export function openCounts(
  { baseUrl }: Pick<Target, 'baseUrl'>,
  token: Secret,
  ctx: CountsContext,
  { forOrder = false } = {},
): CallCounts {
  return new CallCounts(baseUrl.href, token.reveal(), ctx, forOrder ? 0 : undefined);
}

/** Waits as `trade.connectsPerMinute` says. Without it, a gateway on this machine has no limit. */
export function connectPace(
  target: Pick<Target, 'baseUrl' | 'log'>,
  counts: CallCounts,
  { settings, now, sleep }: Pick<RunContext, 'settings' | 'now' | 'sleep'>,
  { forOrder = false } = {},
): SessionOptions['pace'] {
  const isSet = settings.resolve('trade.connectsPerMinute').origin.kind !== 'default';
  if (!isSet && isLoopback(target.baseUrl)) return undefined;
  const perMinute = Number(settings.get('trade.connectsPerMinute'));
  const limit = { cmd: 'connections', maxCalls: perMinute, windowMs: 60_000 } as const;
  if (forOrder) return () => counts.count(limit);
  return async (signal) => {
    for (;;) {
      const freeAt = await counts.take(limit);
      if (freeAt === undefined) return;
      const delay = Math.max(0, freeAt - now());
      // A wait is announced at once, in every format.
      target.log.warn(
        `waiting ${Math.ceil(delay / 1000)} s to connect: at most ${perMinute} connections a minute to ${target.baseUrl.host} (setting trade.connectsPerMinute)`,
      );
      await sleep(delay, signal);
    }
  };
}

/** Opens and closes a session. Throws `unauthorized` if the gateway refuses the token. */
export async function tryToken(token: Secret, ctx: RunContext): Promise<void> {
  const session = openSession(ctx.target, {
    token: () => token,
    onNotice: ctx.notice,
    pace: connectPace(ctx.target, openCounts(ctx.target, token, ctx), ctx),
  });
  try {
    await session.connect();
  } finally {
    await session.close();
  }
}

/** From the environment or the profile, or stored by `svc trade login`. */
export async function gatewayToken({ target }: Pick<RunContext, 'target'>): Promise<Secret> {
  const { authorization = '' } = (await target.authorizer?.header()) ?? target.headers;
  const token = /^Bearer (\S+)$/.exec(authorization)?.[1];
  if (token !== undefined) return new Secret(token);
  throw new SvcError('unauthorized', 'no API token for the trading gateway', {
    hint: 'store a token: svc trade login (or set SVC_TRADE_TOKEN)',
  });
}
