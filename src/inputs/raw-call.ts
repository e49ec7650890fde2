/** One request that somebody wrote out, sent by the service's own client: signed in, limited and explained as all its requests are. */
import type { RunContext } from '../cli/command.ts';
import { SvcError } from '../errors.ts';
import type { Alertmanager } from '../services/alertmanager/client.ts';
import { openTradingSession } from './trading-session.ts';

type Send = Alertmanager['answer'];
type RawAnswer = Awaited<ReturnType<Send>>;

/** An order of which the side is not told, or not in a word that the gateway knows, is a buy to it. */
export async function checkSide(path: string, form: unknown = {}): Promise<void> {
  const { missingSide } = await import('../services/trading/order-forms.ts');
  const field = missingSide(path, form as Parameters<typeof missingSide>[1]);
  if (field === undefined) return;
  throw new SvcError('missing_value', `${path} without ${field} would buy; nothing was sent`, {
    hint: `pass -f ${field}=true or -f ${field}=false`,
  });
}

/** The trading gateway refuses with status 200: the answer once more, and what it says. What `changes` and was done is not refused. */
export async function tradingVerdict(answer: RawAnswer, changes: boolean) {
  const { verdictOf } = await import('../services/trading/envelope.ts');
  const { refusal, refusalWords } = await import('../services/trading/failed-answer.ts');
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.bytes) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  const value: unknown = answer.isJson ? JSON.parse(new TextDecoder().decode(whole)) : undefined;
  const again = async function* () {
    yield whole;
  };
  const isVerdict = typeof value === 'object' && value !== null && !Array.isArray(value);
  const { executed, error } = isVerdict ? verdictOf(value as Readonly<Record<string, unknown>>) : {};
  if (changes && executed !== false && error !== undefined) {
    const message = `the gateway does not say that it was not done, and answers with the error: ${refusalWords(error)}`;
    return { answer: { ...answer, bytes: again() }, refused: new SvcError('not_as_asked', message) };
  }
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
