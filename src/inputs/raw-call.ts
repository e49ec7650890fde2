/** One request that somebody wrote out, sent by the service's own client: signed in, limited and explained as all its requests are. */
import type { RunContext } from '../cli/command.ts';
import type { Alertmanager } from '../services/alertmanager/client.ts';
import { openTradingSession } from './trading-session.ts';

type Send = Alertmanager['answer'];
type RawAnswer = Awaited<ReturnType<Send>>;

/** The trading gateway refuses with status 200: the answer once more, and what it says. */
export async function tradingVerdict(answer: RawAnswer) {
  const { verdictOf } = await import('../services/trading/envelope.ts');
  const { refusal } = await import('../services/trading/failed-answer.ts');
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.bytes) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  const value: unknown = answer.isJson ? JSON.parse(new TextDecoder().decode(whole)) : undefined;
  const again = async function* () {
    yield whole;
  };
  const isVerdict = typeof value === 'object' && value !== null && !Array.isArray(value);
  const { executed, error } = isVerdict ? verdictOf(value as Readonly<Record<string, unknown>>) : {};
  const refused = executed === false || error !== undefined ? refusal(error, 'the request') : undefined;
  return { answer: { ...answer, bytes: again() }, refused };
}

/** The connections end with the last byte of the answer, or with what goes wrong before it. */
export async function rawCall(ctx: RunContext, ...request: Parameters<Send>): Promise<RawAnswer> {
  const { answer, close } = await open(ctx);
  try {
    const { bytes, ...head } = await answer(...request);
    return { ...head, bytes: until(bytes, close) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* until(bytes: AsyncIterable<Uint8Array>, close: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } finally {
    await close();
  }
}

async function open(ctx: RunContext): Promise<{ readonly answer: Send; close(): Promise<void> }> {
  switch (ctx.target.service) {
    case 'alerts':
      return (await import('../services/alertmanager/client.ts')).openAlertmanager(ctx.target);
    case 'webhooks':
      return (await import('../services/recordings/client.ts')).openRecordings(ctx.target);
    case 'catalog':
      return (await import('../services/catalog/client.ts')).openCatalog(ctx.target);
    case 'trade': {
      const { answer, session } = await openTradingSession(ctx, {});
      return { answer, close: () => session.close() };
    }
  }
}
