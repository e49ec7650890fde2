/** What a line returns that changes nothing: the value of its command, as `-o json` prints it. */
import type { RunContext } from '../../../cli/command.ts';
import { shownRequests } from '../../../cli/dry-run.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { TradingContext, TradingSession } from '../gateway/trading-session.ts';
import type { CommandLine } from './command-lines.ts';

export interface Result {
  readonly command: string;
  readonly value: unknown;
  /** Why the exit status of the command would not be 0. */
  readonly code: ErrorCode | null;
}

/** Runs the command over the connection. */
export async function readResult(
  { name, command, input }: CommandLine,
  open: TradingSession,
  ctx: RunContext,
): Promise<Result> {
  const wants = { ...ctx.wants, rawJson: false, table: false, fields: true };
  const context: TradingContext = { ...ctx, wants, interactive: false, trading: open };
  const answer = await command.run(input, context);
  if (answer.value instanceof Plan) return plannedResult(name, answer.value, ctx);
  const value = (await whole(answer.value)) ?? null;
  const { code } = answer;
  const end = typeof code === 'function' ? code() : code;
  return { command: name, value, code: end ?? null };
}

/** Of a dry run: the requests that are not sent. */
export function plannedResult(command: string, { requests }: Plan, { target }: RunContext): Result {
  return { command, value: shownRequests(requests, target.secretHeaders), code: null };
}

/** An event is one line. */
const MOST_ROWS = 10_000;

/** All rows of a list that comes in parts. */
async function whole(value: unknown): Promise<unknown> {
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return value;
  const rows: unknown[] = [];
  for await (const row of value as AsyncIterable<unknown>) {
    if (rows.push(row) <= MOST_ROWS) continue;
    throw new SvcError('usage', `the result has more than ${MOST_ROWS} rows`, { hint: 'ask for fewer' });
  }
  return rows;
}
