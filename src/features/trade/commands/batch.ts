import { FINAL } from '../../../cli/bulk.ts';
import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { type Confirmed, Plan } from '../../../http/endpoint.ts';
import { openTradingSession, type TradingSession } from '../gateway/trading-session.ts';
import { CHANGE_LIST, type ChangeRow, codeOf, hintsOf, isUnknown, rowOf } from '../orders/change-report.ts';
import { checkConfirmable } from '../orders/confirmation.ts';
import { CHANGE_FLAGS } from '../orders/flags.ts';
import { earlierOutcome } from '../orders/once.ts';
import type { Outcome, PlannedRequest } from '../orders/placing.ts';
import { type Change, type ChangeInput, confirmAll } from '../orders/planned-requests.ts';
import type { TableCache } from '../orders/table-cache.ts';
import { atLine, type CommandLine, commandLine, objectOf } from '../session/command-lines.ts';
import { TradingEngine } from '../session/engine.ts';
import { readResult } from '../session/reads.ts';

export const tradeBatch = listCommand({
  id: 'trade batch',
  summary: 'Send the orders in a file',
  description:
    'Each line is JSON, such as {"command":"buy","symbol":"EUR/USD","amount":5}: a command of svc trade with its arguments and options, as in svc trade session. svc checks all lines first, then sends each once, and stops at the first failure. It always stops if an outcome stays unknown (exit 8).',
  details: `Lines may be any command but batch, dashboard, login, logout, session, stream and watch. A line may have an id, which is not used. All lines go over one connection. close --symbol, close --everything, orders cancel --all and flatten concern what is there when their turn comes; so does the check of a close by an opposite order; all other requests are sent as they were checked.
After a lost response svc searches for the request, as a session does: if it was carried out, the row is accepted, and the next line follows. If it was not, the row is not_sent, and svc stops unless --keep-going is given. If the connection is lost, the next line waits for another one, up to --timeout.
The row of a command that reads has the outcome done, and what it found in value.`,
  effect: 'money',
  service: 'trade',
  args: { file: { help: 'NDJSON file, or - for standard input', required: true, complete: 'files' } },
  flags: {
    'keep-going': { type: 'boolean', help: 'Continue after a request is refused' },
    ...CHANGE_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc trade batch orders.ndjson',
      why: 'Send the orders in a file',
    },
    { run: 'svc trade batch - --yes -o ndjson', why: 'Read a pipe, print one result per line' },
  ],
  output: {
    ...CHANGE_LIST,
    columns: [
      { name: 'line', cell: ({ line }: BatchRow) => line, align: 'right' },
      ...CHANGE_LIST.columns,
      {
        name: 'value',
        cell: ({ value }) => (value === undefined ? undefined : JSON.stringify(value)),
        flex: true,
        optional: true,
      },
    ],
  },
  run: runBatch,
});

/** One row for each request of a line, or one for a line that reads. */
interface BatchRow extends ChangeRow {
  readonly line: number;
  /** What a command found. */
  readonly value?: unknown;
}

interface BatchInput extends ChangeInput {
  readonly file: string;
  readonly keepGoing: boolean;
}

interface BatchLine extends CommandLine {
  /** From 1. */
  readonly line: number;
}

interface CheckedLine extends BatchLine {
  readonly planned: readonly PlannedRequest[];
  /** Of an order that was sent before with the same key. */
  readonly earlier?: Outcome | undefined;
}

interface Done {
  readonly rows: readonly Omit<BatchRow, 'line'>[];
  readonly of: readonly Outcome[];
  /** Of a command that reads. */
  readonly code?: ErrorCode | null;
}

async function runBatch(input: BatchInput, ctx: RunContext): Promise<Answer<readonly BatchRow[]>> {
  const text = Buffer.from(await ctx.readInput(input.file)).toString('utf8');
  const lines = await readLines(text, input.account, ctx);
  if (lines.length === 0) return { value: [], footer: 'the file has no requests; nothing was sent' };
  const changes = lines.filter(({ change }) => change !== undefined).length;
  if (changes > 0) await checkConfirmable(`send ${changes} requests?`, input.account, ctx);
  const open = await openTradingSession(ctx, { ...input, reconnect: true, forOrder: true });
  const over = new AbortController();
  const signal = AbortSignal.any([ctx.signal, over.signal]);
  const engine = new TradingEngine({ open, input, reports: { say() {}, fail() {} }, signal }, ctx);
  try {
    return await new Batch({ lines, input, engine, open, cache: engine.cache(), signal }, ctx).run();
  } finally {
    over.abort();
    await open.session.close();
    await engine.flush();
  }
}

/** Throws for the first invalid line. `account` is the default of lines that name none. */
async function readLines(text: string, account: string | undefined, ctx: RunContext): Promise<readonly BatchLine[]> {
  const lines: BatchLine[] = [];
  const updated = new Map<unknown, number>();
  for (const [index, json] of text.split('\n').entries()) {
    if (json.trim() === '') continue;
    const line = index + 1;
    const parsed = await atLine(line, async () => {
      const { id: _, ...fields } = objectOf(json);
      const parsed = await commandLine(fields, account, ctx);
      const order = parsed.input['order'];
      const earlier = updated.get(order);
      if (parsed.name !== 'orders update') return parsed;
      // Unchanged values are read before the first line is sent, and would undo an earlier change.
      if (earlier !== undefined) {
        throw new SvcError('invalid_value', `line ${earlier} already updates order ${order}: use one line`);
      }
      updated.set(order, line);
      return parsed;
    });
    lines.push({ line, ...parsed });
  }
  return lines;
}

interface Parts {
  readonly lines: readonly BatchLine[];
  readonly input: BatchInput;
  readonly engine: TradingEngine;
  readonly open: TradingSession;
  /** Of all lines: each table is read once. */
  readonly cache: TableCache;
  /** Aborted at the end. */
  readonly signal: AbortSignal;
}

class Batch {
  readonly #of: Parts;
  readonly #ctx: RunContext;

  constructor(of: Parts, ctx: RunContext) {
    this.#of = of;
    this.#ctx = ctx;
  }

  async run(): Promise<Answer<readonly BatchRow[]>> {
    if (!this.#ctx.dryRun) {
      await this.#of.engine.start();
      void this.#endLastingOutage();
    }
    const checked: CheckedLine[] = [];
    for (const line of this.#of.lines) checked.push(await atLine(line.line, () => this.#check(line)));
    const requests = checked.flatMap(({ planned }) => planned);
    const confirmed =
      requests.length === 0 && !this.#ctx.dryRun ? undefined : await confirmAll(requests, this.#of.cache, this.#ctx);
    if (confirmed instanceof Plan) return { value: confirmed };
    return this.#send(checked, confirmed);
  }

  async #check(line: BatchLine): Promise<CheckedLine> {
    const { change } = line;
    if (change === undefined) return { ...line, planned: [] };
    if (change.once !== undefined && !this.#ctx.dryRun) {
      const { outcome } = await earlierOutcome(change.once, { cache: this.#of.cache, follows: false }, this.#ctx);
      if (outcome !== undefined) return { ...line, planned: [], earlier: outcome };
    }
    return { ...line, planned: await change.plan(this.#of.cache) };
  }

  async #send(lines: readonly CheckedLine[], confirmed: Confirmed | undefined): Promise<Answer<readonly BatchRow[]>> {
    const value: BatchRow[] = [];
    const all: Outcome[] = [];
    let isOver = false;
    let read: ErrorCode | undefined;
    const bar = this.#ctx.progress(lines.length);
    for (const line of lines) {
      const done: Done = isOver ? skipped(line) : await stoppedAt(line.line, () => this.#perform(line, confirmed));
      const { rows, of, code } = done;
      value.push(...rows.map((row) => ({ line: line.line, ...row })));
      all.push(...of);
      read ??= code ?? undefined;
      isOver ||= of.some(({ error }) => error !== undefined && !this.#goesOn(error));
      isOver ||= code !== undefined && code !== null && !this.#of.input.keepGoing;
      bar.step();
    }
    const isDone = all.some(({ placed }) => placed !== undefined);
    return { value, code: codeOf(all) ?? (read && isDone ? 'partly_done' : read), footer: hintsOf(all) };
  }

  #goesOn(error: SvcError): boolean {
    return this.#of.input.keepGoing && !isUnknown(error);
  }

  async #perform(line: CheckedLine, confirmed: Confirmed | undefined): Promise<Done> {
    const { change, earlier } = line;
    if (earlier !== undefined) return { rows: [rowOf(earlier)], of: [earlier] };
    try {
      return await (change === undefined ? this.#read(line) : this.#change(line, change, confirmed));
    } catch (error) {
      if (!(error instanceof SvcError) || FINAL.has(error.code)) throw error;
      const { code, message } = error;
      return { rows: [emptyRow(line, { outcome: 'refused', code, message })], of: [], code };
    }
  }

  async #change(line: CheckedLine, change: Change, confirmed: Confirmed | undefined): Promise<Done> {
    const planned = change.sweeps ? undefined : line.planned;
    // Nothing was there to confirm when the file was checked.
    const proof = line.planned.length === 0 ? undefined : confirmed;
    const goesOn = (error: SvcError): boolean => change.goesOn(error) && this.#goesOn(error);
    const cache = change.sweeps ? this.#of.engine.cache() : this.#of.cache;
    const sent = await this.#of.engine.send(change, { cache, planned, confirmed: proof, goesOn });
    if (sent instanceof Plan) throw new SvcError('internal', 'a plan was sent');
    if (sent.outcomes.length === 0)
      return { rows: [emptyRow(line, { outcome: 'not_sent', message: change.nothing ?? null })], of: [] };
    const rows: ChangeRow[] = [];
    const of: Outcome[] = [];
    for (const outcome of sent.outcomes) {
      const { settled, message } = await this.#settled(outcome);
      of.push(settled);
      const row = rowOf(settled);
      rows.push({ ...row, message: message ?? row.message });
    }
    // The token was accepted before, so the gateway may have lost the session.
    if (of.some(({ error }) => error?.code === 'unauthorized')) await this.#of.engine.checkToken();
    return { rows, of };
  }

  async #read(line: CheckedLine): Promise<Done> {
    const { value, code } = await readResult(line, this.#of.open, this.#ctx);
    return { rows: [emptyRow(line, { outcome: 'done', code, value })], of: [], code };
  }

  /** Searches for a request whose response was lost. */
  async #settled(outcome: Outcome): Promise<{ readonly settled: Outcome; readonly message?: string }> {
    const { planned, placed, error } = outcome;
    if (placed?.lost === undefined) return { settled: outcome };
    const found = await this.#of.engine.orders.search(null, planned, { ...placed, lost: placed.lost });
    this.#ctx.signal.throwIfAborted();
    if (found === undefined) return { settled: outcome };
    const { evidence, orderIds = [] } = found;
    if (found.outcome === 'unknown') return { settled: outcome, message: `${error?.message}; ${evidence}` };
    const message = `the response was lost: ${evidence}`;
    if (found.outcome !== 'absent')
      return { settled: { planned, placed: { ...placed, orderIds, error: undefined } }, message };
    const absent = new SvcError('connection_lost', `${message}; it was not carried out`, { cause: error });
    return { settled: { planned, placed, error: absent } };
  }

  /** What waits for the connection fails then, and is not sent. */
  async #endLastingOutage(): Promise<void> {
    const { session } = this.#of.open;
    try {
      await this.#of.engine.lastingOutage(this.#ctx.target.timeoutMs, this.#of.signal);
    } catch {
      return;
    }
    await session.close(session.outage);
  }
}

function skipped({ planned, ...line }: CheckedLine): Done {
  const of = planned.map((one) => ({ planned: one }));
  if (of.length > 0) return { rows: of.map(rowOf), of };
  return { rows: [emptyRow(line, { outcome: 'not_sent', message: 'skipped because an earlier request failed' })], of };
}

function emptyRow({ name }: Pick<CommandLine, 'name'>, of: Partial<BatchRow>): Omit<BatchRow, 'line'> {
  const ids = { request: null, tradeId: null, orderId: null, symbol: null, accountId: null, orderIds: [], along: [] };
  const failure = { message: null, code: null, server_code: null, http_status: null, journal_id: null };
  return { command: name, ...ids, outcome: 'done', ...failure, ...of };
}

/** After an interruption only the journal shows what was sent. */
async function stoppedAt<T>(line: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message, hint = 'svc trade journal', more } = error;
    throw new SvcError(code, `${message}; this was line ${line}, and all lines before it were sent`, {
      hint,
      more: { ...more, line },
      cause: error,
    });
  }
}
