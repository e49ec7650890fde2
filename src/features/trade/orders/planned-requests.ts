/** Confirms planned requests together, and sends them one after the other, each once. */
import { FINAL } from '../../../cli/bulk.ts';
import type { Answer, RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Confirmed } from '../../../http/endpoint.ts';
import { acceptedBut, type ChangeRow, codeOf, hintsOf, isUnknown, ordersText, rowOf } from './change-report.ts';
import { checkRepeats, confirmOrder } from './confirming.ts';
import type { Waiting } from './fills.ts';
import { keepReport } from './once.ts';
import { type Connecting, connectAndPlace, type Outcome, type PlannedRequest } from './placing.ts';

export async function confirmAll(planned: readonly PlannedRequest[], ctx: RunContext): Promise<Confirmed> {
  for (const warning of new Set(planned.flatMap(({ warnings = [] }) => warnings))) ctx.notice(warning);
  const [only, ...more] = planned;
  let question = `${only?.does}?`;
  if (more.length > 0) {
    for (const [index, { does }] of planned.entries()) ctx.notice(`${index + 1}. ${does}`);
    question = `Send these ${planned.length} requests, one after the other?`;
  }
  const requests = planned.map(({ request: { endpoint, form } }) => ({ path: endpoint.path, form }));
  question = await checkRepeats(question, requests, ctx);
  const [first = 'unknown', ...others] = new Set(planned.map(({ accountId }) => accountId ?? 'unknown'));
  const typing = { isTyped: planned.some(({ isTyped }) => isTyped) };
  const confirmed = await confirmOrder(question, first, ctx, typing);
  for (const accountId of others) await confirmOrder(question, accountId, ctx, typing);
  return confirmed;
}

interface SendingAll extends Connecting {
  /** After a failed request, the following ones are still sent. */
  readonly goesOn: boolean;
}

/** One after the other. Throws if the only request that was tried failed. */
export async function sendAll(
  planned: readonly PlannedRequest[],
  sending: SendingAll,
  ctx: RunContext,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let isOver = false;
  for (const one of planned) {
    const outcome: Outcome = isOver ? { planned: one } : await sendPlanned(one, sending, ctx);
    const { error } = outcome;
    if (error !== undefined) {
      if (FINAL.has(error.code)) throw error;
      isOver = !sending.goesOn;
      // The connection may be lost with the response.
      if (!isOver && isUnknown(error)) await sending.tables.close();
    }
    outcomes.push(outcome);
  }
  const tried = outcomes.filter(({ placed, error }) => placed !== undefined || error !== undefined);
  const failed = outcomes.find(({ error }) => error !== undefined);
  if (failed?.error !== undefined && tried.length === 1) throw failed.error;
  return outcomes;
}

async function sendPlanned(planned: PlannedRequest, sending: Connecting, ctx: RunContext): Promise<Outcome> {
  try {
    const placed = await connectAndPlace(planned, sending, ctx);
    return { planned, placed, error: placed.error };
  } catch (error) {
    if (error instanceof SvcError) return { planned, error };
    throw error;
  }
}

/** All are sent before the first is waited for. */
export async function waitForAll(
  outcomes: readonly Outcome[],
  { watch, ms }: Waiting,
  ctx: RunContext,
): Promise<readonly Outcome[]> {
  const accepted = outcomes.filter(
    ({ planned, placed, error }) => error === undefined && placed !== undefined && planned.awaits !== undefined,
  );
  if (accepted.length === 0) return outcomes;
  const ids = accepted.flatMap(({ placed }) => placed?.orderIds ?? []);
  ctx.notice(`${ordersText(ids)} accepted; waiting for fills`);
  try {
    return await Promise.all(
      outcomes.map(async (outcome) => {
        const { planned, placed, error } = outcome;
        if (placed === undefined || error !== undefined || planned.awaits === undefined) return outcome;
        const { orderIds, journalId, sentAt } = placed;
        const report = await watch.wait({ ...planned.awaits, orderIds, sentAt }, ms);
        await keepReport({ journalId, orderIds, report, isOnce: false }, ctx);
        return { ...outcome, report };
      }),
    );
  } catch (error) {
    throw acceptedBut(error, ids);
  }
}

/** One row per request. */
export function reportChanges(outcomes: readonly Outcome[]): Answer<readonly ChangeRow[]> {
  return { value: outcomes.map(rowOf), code: codeOf(outcomes), footer: hintsOf(outcomes) };
}
