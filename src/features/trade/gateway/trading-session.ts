/**
 * Opens a gateway session for a command: token, pace of connects, and the rate limits of doc 3 §8,
 * as counted here or reported by an ORA-20301.
 */
import type { RunContext } from '../../../cli/command.ts';
import type { Argument } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { isLoopback } from '../../../http/address.ts';
import type { CallValues, EndpointShape } from '../../../http/endpoint.ts';
import { Secret } from '../../../http/redact.ts';
import type { Target } from '../../../http/target.ts';
import { CallCounts, type CountsContext, type Window } from '../../../store/call-counts.ts';
import { openTrading, type Reader, type Trading } from '../client.ts';
import type { Envelope } from '../schema.ts';
import { RATE_EXCEEDED, type TradingError, verdictOf } from './envelope.ts';
import { GatewayRefusal } from './failed-answer.ts';
import { Session, type SessionOptions } from './session.ts';

export const SYMBOL_ARGUMENT = {
  help: 'Symbol, such as EUR/USD or eurusd',
  required: true,
  complete: 'symbols',
} as const satisfies Argument;

export interface TradingOptions {
  readonly reconnect?: boolean;
  /** Keeps trying if the first connection fails. */
  readonly awaitGateway?: boolean;
  /** An order, a cancel or a close: our own rate limits neither delay nor refuse nor count it. */
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
  const session = new Session(ctx.target, {
    token: () => gatewayToken(ctx),
    reconnect,
    awaitGateway,
    onNotice: ctx.notice,
    pace: forOrder ? undefined : connectPace(ctx.target, counts, ctx),
  });
  const isCounted = !forOrder;
  const reader: Reader = {
    async call(endpoint, values) {
      const limit = limitOfRequest(endpoint, values);
      if (isCounted) await takeCall(limit, counts);
      const answer = await fillIfRefused(session.call(endpoint, values), counts, limit);
      const used = await exceededLimit(verdictOf(answer as Envelope).error, counts, limit);
      if (used !== undefined) throw used;
      return answer;
    },
  };
  const answer: Session['answer'] = async (endpoint, values, confirmed) => {
    const limit = limitOfRequest(endpoint, values);
    if (isCounted) await takeCall(limit, counts);
    return fillIfRefused(session.answer(endpoint, values, confirmed), counts, limit);
  };
  return { session, trading: openTrading(reader), answer, counts };
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
): SessionOptions['pace'] {
  const isSet = settings.resolve('trade.connectsPerMinute').origin.kind !== 'default';
  if (!isSet && isLoopback(target.baseUrl)) return undefined;
  const perMinute = Number(settings.get('trade.connectsPerMinute'));
  const limit = { cmd: 'connections', maxCalls: perMinute, windowMs: 60_000 } as const;
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
  const session = new Session(ctx.target, {
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

export interface CallLimit extends Window {
  readonly cmd: number;
  /** The document's names. */
  readonly does: string;
  /** The tables, or last parts of a path, that count. Inferred, as the document does not say. */
  readonly requests: readonly string[];
}

export const CALL_LIMITS: readonly CallLimit[] = [
  { cmd: 8, maxCalls: 2, windowMs: 600_000, does: 'get trader orders', requests: [] },
  { cmd: 24, maxCalls: 500, windowMs: 3_600_000, does: 'set instruments', requests: ['update_subscriptions'] },
  { cmd: 44, maxCalls: 50, windowMs: 3_600_000, does: 'get open positions by account', requests: ['OpenPosition'] },
  { cmd: 46, maxCalls: 1500, windowMs: 3_600_000, does: 'get orders by account', requests: ['Order'] },
  { cmd: 79, maxCalls: 500, windowMs: 3_600_000, does: 'get all accounts per account id', requests: ['Account'] },
  { cmd: 117, maxCalls: 10, windowMs: 60_000, does: 'get last order message', requests: [] },
  { cmd: 118, maxCalls: 10, windowMs: 60_000, does: 'get custom closed trade', requests: ['ClosedPosition'] },
];

/** The limit towards which a request counts. */
export function limitOfRequest(
  { path }: Pick<EndpointShape, 'path'>,
  { query }: CallValues = {},
): CallLimit | undefined {
  const [model] = [query?.['models'] ?? []].flat();
  const last = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const name = model === undefined ? last.replace(/^Accounts$/, 'Account') : String(model);
  return CALL_LIMITS.find(({ requests }) => requests.includes(name));
}

/** Throws `limited` if our own count, an estimate, has reached the limit of the call. */
async function takeCall(limit: CallLimit | undefined, counts: CallCounts): Promise<void> {
  const freeAt = limit && (await counts.take(limit));
  if (limit !== undefined && freeAt !== undefined) throw usedUp(limit, freeAt, { who: 'from here' });
}

/** The response. An ORA-20301 with a status of 400 and above fills its window. */
async function fillIfRefused<T>(answer: Promise<T>, counts: CallCounts, own?: CallLimit): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const used = error instanceof GatewayRefusal ? await exceededLimit(error.error, counts, own) : undefined;
    throw used ?? error;
  }
}

/** An ORA-20301 fills the window of the command it names, or the request's. Else undefined. */
export async function exceededLimit(
  error: TradingError | undefined,
  counts: CallCounts,
  own?: CallLimit,
): Promise<SvcError | undefined> {
  const exceeded = error?.ora === RATE_EXCEEDED ? (CALL_LIMITS.find(({ cmd }) => cmd === error.cmd) ?? own) : undefined;
  if (exceeded === undefined) return undefined;
  return usedUp(exceeded, await counts.fill(exceeded), {
    who: 'the gateway says that',
    server: `ORA-${RATE_EXCEEDED}`,
  });
}

function usedUp(
  { cmd, maxCalls, windowMs, does }: CallLimit,
  freeAt: number,
  { who, server }: { readonly who: string; readonly server?: string },
): SvcError {
  const next = new Date(freeAt).toISOString();
  return new SvcError(
    'limited',
    `${who} all calls of command ${cmd} (${does}: ${maxCalls} in ${windowMs / 1000} s) are used up until ${next}`,
    {
      hint: 'wait until then, or see svc trade limits',
      ...(server === undefined ? {} : { sent: 'yes' as const }),
      more: { server_code: server, cmd, retry_after: next },
    },
  );
}
