/** The checks of `svc doctor`: connects to the gateway step by step, and says which step fails and why. */
import type { RunContext } from '../../cli/command.ts';
import { fail, ok, type Result, type ServiceContents, skipped, warn } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import { openClient } from '../../http/client.ts';
import { Secret } from '../../http/redact.ts';
import type { Target } from '../../http/target.ts';
import type { CallCounts } from '../../store/call-counts.ts';
import { openTrading } from './client.ts';
import { CookieJar } from './gateway/cookie-jar.ts';
import { countedReader, takeCall } from './gateway/counted-caller.ts';
import { EngineConnection, FORM } from './gateway/engine-connection.ts';
import { type Opening, PROTOCOL_VERSION } from './gateway/engine-packet.ts';
import { explainTrading } from './gateway/failed-answer.ts';
import { openSession } from './gateway/session.ts';
import { connectPace, openCounts } from './gateway/trading-session.ts';
import { marketHours, newYorkText } from './market-hours.ts';

interface GatewayStep extends Result {
  readonly check: 'handshake' | 'session' | 'websocket' | 'requests' | 'market';
  /** The gateway's clock minus ours. */
  readonly clockSkewMs?: number | undefined;
}

const failed = (check: GatewayStep['check'], { message, hint }: SvcError): GatewayStep => ({
  check,
  ...fail(message, hint),
});

type Doctor = Omit<RunContext, 'target'>;

/** Ends after the first step that fails. */
export async function* gatewaySteps(target: Target, ctx: Doctor): AsyncGenerator<GatewayStep, void, void> {
  const { authorization = '' } = (await target.authorizer?.header()) ?? {};
  const token = new Secret(authorization.replace(/^Bearer /, ''));
  const counts = await openCounts(target, token, ctx);
  const late = new AbortController();
  const why = new SvcError('timeout', `no response within ${target.timeoutMs / 1000} s`, {
    hint: 'allow more time with --timeout',
  });
  const timer = setTimeout(() => late.abort(why), target.timeoutMs);
  const signal = AbortSignal.any([ctx.signal, late.signal]);
  try {
    await connectPace(target, counts, ctx).wait(signal);
    yield* connectionSteps({ ...target, signal }, token, counts, ctx);
  } finally {
    clearTimeout(timer);
  }
}

async function* connectionSteps(
  target: Target,
  token: Secret,
  counts: CallCounts,
  ctx: Doctor,
): AsyncGenerator<GatewayStep, void, void> {
  const { signal } = target;
  const cookies = new CookieJar();
  target.secrets.add(token.reveal());
  const engine = new EngineConnection({
    target,
    token,
    cookies,
    ready: () => undefined,
    onPush: () => {},
    onLost: () => {},
  });
  const giveUp = (): void => engine.fail(signal.reason as SvcError);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const opening = await attempt(engine.handshake());
    if (opening instanceof SvcError) {
      yield failed('handshake', opening);
      return;
    }
    yield { check: 'handshake', ...ok(handshakeText(opening)) };
    const refused = await attempt(engine.confirm());
    if (refused !== undefined) {
      yield failed('session', refused);
      return;
    }
    yield { check: 'session', ...ok('confirmed (40): the token is accepted') };
    yield { check: 'websocket', ...(await tryWebsocket(engine, ctx)) };
    yield await readAccounts(target, { engine, cookies, counts });
    yield { check: 'market', ...marketResult(ctx.now()) };
  } finally {
    signal.removeEventListener('abort', giveUp);
    await engine.leave();
  }
}

function handshakeText({ pingIntervalMs, pingTimeoutMs }: Opening): string {
  const [every, timeout] = [pingIntervalMs / 1000, pingTimeoutMs / 1000];
  return `Engine.IO ${PROTOCOL_VERSION}, a heartbeat every ${every} s, lost after ${timeout} s without a response`;
}

/** Without one, svc polls, unless the setting requires it. */
async function tryWebsocket(engine: EngineConnection, { settings }: Doctor): Promise<Result> {
  const transport = settings.get('trade.transport');
  if (transport === 'polling') return skipped('trade.transport is polling');
  const missed = await attempt(engine.upgrade());
  if (missed === undefined) return ok('the session switched to a websocket');
  if (transport !== 'websocket') return warn(`none, polling is used: ${missed.message}`);
  return fail(`none, but trade.transport is websocket: ${missed.message}`, 'svc config set trade.transport auto');
}

interface Connected {
  readonly engine: EngineConnection;
  readonly cookies: CookieJar;
  readonly counts: CallCounts;
}

async function readAccounts(target: Target, { engine, cookies, counts }: Connected): Promise<GatewayStep> {
  const header = async () => ({ authorization: engine.authorization });
  const client = openClient(
    { ...target, authorizer: { origin: target.baseUrl.origin, header } },
    { cookies, basePath: '', contentType: FORM, explain: explainTrading },
  );
  try {
    const began = performance.now();
    const accounts = await openTrading(countedReader(client, takeCall, counts)).accounts();
    const answered = `responded in ${Math.round(performance.now() - began)} ms`;
    const { clockSkewMs } = client;
    const names = accounts.map(({ accountId }) => accountId).join(', ');
    const detail = `${answered} with ${accounts.length} account${accounts.length === 1 ? '' : 's'}: ${names}`;
    if (accounts.length > 0) return { check: 'requests', ...ok(detail), clockSkewMs };
    return { check: 'requests', ...warn(`${answered}, but the token has no account`), clockSkewMs };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return failed('requests', error);
  } finally {
    await client.close();
  }
}

function marketResult(now: number): Result {
  const { state, opensAt, closesAt } = marketHours(now);
  if (state === 'open') return ok(`forex is traded until ${newYorkText(closesAt)}`);
  return ok(`forex usually opens at ${newYorkText(opensAt)}`);
}

/** The result of a step, or its failure. */
async function attempt<T>(step: Promise<T>): Promise<T | SvcError> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}

export async function tradeContents(target: Target, token: Secret): Promise<ServiceContents> {
  const session = openSession(target, { token: () => token, transport: 'polling', onNotice: target.log.warn });
  try {
    return { holds: { accounts: (await openTrading(session).accounts()).length } };
  } finally {
    await session.close();
  }
}
