/** One request that somebody wrote out, sent by the service's own client: signed in, limited and explained as all its requests are. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { Plan } from '../../http/endpoint.ts';
import type { Alertmanager } from '../alerts/api.ts';

type Send = Alertmanager['answer'];

/** The connections end with the last byte of the answer, or with what goes wrong before it. */
export async function rawCall(ctx: RunContext, ...request: Parameters<Send>): ReturnType<Send> {
  const { answer, close } = await open(ctx);
  try {
    const answered = await answer(...request);
    if (answered instanceof Plan) {
      await close();
      return answered;
    }
    const { bytes, ...head } = answered;
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
      return (await import('../alerts/api.ts')).openAlertmanager(ctx.target);
    case 'webhooks':
      return (await import('../webhooks/api.ts')).openRecordings(ctx.target);
    case 'catalog':
      return (await import('../catalog/api.ts')).openCatalog(ctx.target);
    case 'trade':
      throw new SvcError('internal', 'the trading gateway is asked within a session');
  }
}
