/** The checks of `svc doctor`: connects to the gateway step by step, and says which step fails and why. */
import type { RunContext } from '../../cli/command.ts';
import { fail, ok, type Result, type ServiceContents, warn } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import { openClient } from '../../http/client.ts';
import { redactText, Secret } from '../../http/redact.ts';
import type { Target } from '../../http/target.ts';
import { type Caller, openTrading } from './client.ts';
import { CookieJar } from './gateway/cookie-jar.ts';
import { commandNumbers, limitedCaller } from './gateway/counted-caller.ts';
import { EngineConnection } from './gateway/engine-connection.ts';
import { PROTOCOL_VERSION } from './gateway/engine-packet.ts';
import { FORM } from './gateway/engine-requests.ts';
import { explainTrading } from './gateway/failed-answer.ts';
import { openSession } from './gateway/session.ts';
import { connectPace, openCounts } from './gateway/trading-session.ts';

interface GatewayStep extends Result {
  readonly check: 'handshake' | 'session' | 'websocket' | 'requests';
  /** The gateway's clock minus ours. */
  readonly clockSkewMs?: number | undefined;
}

interface GatewayOptions {
  readonly token: Secret;
  readonly signal: AbortSignal;
  /** Counts the calls towards the caps. */
  counted(caller: Caller): Caller;
}

const failed = (check: GatewayStep['check'], { message, hint }: SvcError): GatewayStep => ({
  check,
  ...fail(message, hint),
});

/** Ends after the first step that fails; a missing websocket is only a warning. */
async function* examineGateway(
  target: Target,
  { token, signal, counted }: GatewayOptions,
): AsyncGenerator<GatewayStep, void, void> {
  const cookies = new CookieJar();
  const secret = token.reveal();
  target.secrets.add(secret);
  const engine = new EngineConnection({
    target,
    token,
    signal,
    cookies,
    keepSecret: (value) => target.secrets.add(value),
    hide: (text) => redactText(target.secrets.hide(text)),
    ready: () => undefined,
    onPush: () => {},
    onLost: () => {},
  });
  const giveUp = (): void => engine.fail(signal.reason as SvcError);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const refused = await failureOf(engine.open());
    if (engine.sid === '' && refused !== undefined) {
      yield failed('handshake', refused);
      return;
    }
    yield { check: 'handshake', ...ok(`Engine.IO ${PROTOCOL_VERSION}, received a connection id`) };
    if (refused !== undefined) {
      yield failed('session', refused);
      return;
    }
    yield { check: 'session', ...ok('confirmed (40): the token is accepted') };
    const missed = await failureOf(engine.upgrade());
    yield missed === undefined
      ? { check: 'websocket', ...ok('the session switched to a websocket') }
      : { check: 'websocket', ...warn(`none, polling is used: ${missed.message}`) };
    yield await requests(target, engine, secret, { cookies, counted });
  } finally {
    signal.removeEventListener('abort', giveUp);
    await engine.leave();
  }
}

interface Within extends Pick<GatewayOptions, 'counted'> {
  readonly cookies: CookieJar;
}

async function requests(
  target: Target,
  engine: EngineConnection,
  secret: string,
  { counted, ...rules }: Within,
): Promise<GatewayStep> {
  const header = async () => ({ authorization: `Bearer ${engine.sid}${secret}` });
  const client = openClient(
    { ...target, authorizer: { origin: target.baseUrl.origin, header } },
    { ...rules, basePath: '', contentType: FORM, explain: explainTrading },
  );
  try {
    const accounts = await openTrading(counted(client)).accounts();
    const { clockSkewMs } = client;
    const names = accounts.map(({ accountId }) => accountId).join(', ');
    const detail = `answered with ${accounts.length} account${accounts.length === 1 ? '' : 's'}: ${names}`;
    if (accounts.length > 0) return { check: 'requests', ...ok(detail), clockSkewMs };
    return { check: 'requests', ...warn('answered, but the token has no account'), clockSkewMs };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return failed('requests', error);
  } finally {
    await client.close();
  }
}

async function failureOf(work: Promise<void>): Promise<SvcError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}

export async function* gatewaySteps(
  target: Target,
  ctx: Omit<RunContext, 'target'>,
): AsyncGenerator<GatewayStep, void, void> {
  const { authorization = '' } = (await target.authorizer?.header()) ?? {};
  const token = new Secret(authorization.replace(/^Bearer /, ''));
  const late = new AbortController();
  const why = new SvcError('timeout', `no response within ${target.timeoutMs / 1000} s`, {
    hint: 'allow more time with --timeout',
  });
  const timer = setTimeout(() => late.abort(why), target.timeoutMs);
  const signal = AbortSignal.any([ctx.signal, late.signal]);
  try {
    const counts = await openCounts({ ...ctx, target }, token);
    await connectPace({ ...ctx, target }, counts).wait(signal);
    const counting = { counts, commandNumbers: commandNumbers(ctx.settings.get('trade.commandNumbers')) ?? {} };
    yield* examineGateway(target, { token, signal, counted: (caller) => limitedCaller(caller, counting) });
  } finally {
    clearTimeout(timer);
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
