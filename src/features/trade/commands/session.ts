/** `trade session`: commands on standard input, events on standard output, one connection. */
import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { ListOutput } from '../../../output/types.ts';
import { readBatch } from '../batch-file.ts';
import { checkConfirmable } from '../order-confirmation.ts';
import { CHANGE_FLAGS } from '../order-flags.ts';
import type { PlannedRequest } from '../placing.ts';
import { type ChangeInput, confirmAll } from '../planned-requests.ts';
import { withTableCache } from '../table-cache.ts';
import type { TradeEvent } from '../trade-event.ts';

const EVENT_LIST: ListOutput<TradeEvent> = {
  kind: 'list',
  columns: [
    { name: 'at', cell: ({ at }) => at },
    { name: 'event', cell: ({ event }) => event },
    { name: 'id', cell: ({ id }) => id },
    { name: 'data', cell: ({ event: _event, id: _id, at: _at, ...data }) => JSON.stringify(data), flex: true },
  ],
  id: ({ id }) => id ?? undefined,
};

interface SessionInput extends ChangeInput {
  readonly drain: number;
  readonly heartbeat: number | undefined;
}

export const tradeSession = listCommand({
  id: 'trade session',
  summary: 'Trade from a program over one connection',
  description:
    'Reads one JSON command per line from standard input, such as {"id":"a1","command":"buy","symbol":"EUR/USD","amount":1}, and prints events with the same id. The commands are those of svc trade batch, and those that read, such as positions list. Ends when the input ends.',
  details: `Each event has the keys event, id and at. The id is null if the event belongs to no command. Use -o ndjson for one JSON object per line.
ready: the connection is open. accepted: the gateway took the request. filled and partly_filled: the trades of an order. open: an order waits at the gateway. closed: the trades that a command closed; or an entry order ended without a fill, such as a canceled one, and reason has its last state. refused: code, server_code and message say why; the line number is included. unknown: the outcome is not known yet, so do not repeat the command. settled: what became of it, with the outcome filled, open, absent or done (a change); svc searches pushes and tables for it; absent takes 10 seconds, because the gateway may be slow. result: what a command that reads found, in value, as with -o json. heartbeat: with --heartbeat; reachable says whether the gateway is, in_flight counts commands without a response, open counts accepted orders that have not ended. unreachable and recovered: the state of the connection; the code unauthorized means that the gateway refuses the token, and after six refusals in a row the session ends with exit 4. ended: the last event, with the orders that are still open. If the outcome of a command stays unknown, the exit status is 8: see svc trade journal settle.
{"id":"s1","command":"subscribe","what":["EUR/USD","Order"]} subscribes to symbols and tables, and unsubscribe ends that; the result lists all subscriptions. push: one push, with the id of the command that subscribed to it, and with kind, table, key and data as in svc trade stream. svc restores subscriptions after an outage; gap says between which times their pushes are missing (from, to, subscriptions).
With "once": "<key>", at most one order is sent with that key: a repetition gets the events of the first order, and another order with the key is refused (key_conflict). Without a key, an order that is identical to one whose outcome is unknown is refused (confirmation_required).
Commands run at the same time: to have one follow another, wait for the event of the first. While the gateway is unreachable, commands are refused and not sent.
The reference has the JSON schema of commands and events: trade-session.schema.json. No event is dropped. While a caller leaves more than 1 MiB of events unread, pushes wait, and only close, orders cancel, flatten and unsubscribe are taken: other commands are refused with the code output_unread. Above 16 MiB, svc reads no more commands until the caller reads.`,
  effect: 'money',
  service: 'trade',
  streams: () => true,
  flags: {
    drain: {
      type: 'duration',
      default: '5s',
      group: 'Session options',
      help: 'At the end of input, wait this long for market orders',
    },
    heartbeat: {
      type: 'duration',
      positive: true,
      group: 'Session options',
      help: 'Print a heartbeat event this often',
    },
    ...CHANGE_FLAGS,
  },
  examples: [
    { run: 'svc trade session --yes -o ndjson', why: 'Take commands from a pipe' },
    { run: 'svc trade session --yes --drain 30s -o ndjson', why: 'Wait longer for fills at the end' },
  ],
  output: EVENT_LIST,
  run: runSession,
});

async function runSession(input: SessionInput, ctx: RunContext): Promise<Answer<AsyncIterable<TradeEvent>>> {
  if (ctx.dryRun) return { value: await planned(input, ctx) };
  if (ctx.interactive) {
    throw new SvcError('missing_value', 'standard input is a terminal, but commands are expected', {
      hint: 'pipe the commands in',
    });
  }
  await checkConfirmable('send the commands of standard input?', input.account, ctx);
  const { tradeEvents } = await import('../session-events.ts');
  return { value: tradeEvents(input, ctx) };
}

/** The plan of a dry run needs all lines. */
async function planned(input: SessionInput, ctx: RunContext): Promise<Plan> {
  const text = Buffer.from(await ctx.readInput('-')).toString('utf8');
  const lines = await readBatch(text, input.account, ctx);
  return withTableCache(ctx, input, async (cache) => {
    const requests: PlannedRequest[] = [];
    for (const { change } of lines) requests.push(...(await change.plan(cache)));
    const plan = await confirmAll(requests, cache, ctx);
    return plan instanceof Plan ? plan : new Plan([]);
  });
}
