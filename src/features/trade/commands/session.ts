/** `trade session`: commands on standard input, events on standard output, one connection. */
import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { noCurlLine } from '../../../cli/dry-run.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput } from '../../../output/types.ts';
import { checkConfirmable } from '../orders/confirmation.ts';
import { CHANGE_FLAGS } from '../orders/flags.ts';
import type { ChangeInput } from '../orders/planned-requests.ts';
import type { TradeEvent } from '../session/trade-event.ts';

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
    'Reads one JSON command per line from standard input, such as {"id":"a1","command":"buy","symbol":"EUR/USD","amount":1}, and prints events with the same id. Ends when the input ends.',
  details: `A line is any command of svc trade but batch, dashboard, login, logout, session, stream and watch, with its arguments and options by name: {"id":"a2","command":"orders cancel","order":["7","8"]}. It cannot have transport, budget or temporary; a change cannot have wait, because the session prints what becomes of it. --account is the account of lines that name none.
Each event has the keys event, id and at. The id is null if the event belongs to no command. Use -o ndjson for one JSON object per line.
ready: the connection is open. accepted: the gateway took the request; a command that sends several has one for each. filled and partly_filled: the trades of an order. open: an order waits at the gateway. closed: the trades that a command closed; or an entry order ended without a fill, such as a canceled one, and reason has its last state. refused: code, server_code and message say why, and line is the number of the line; an order that ends unfilled after it was accepted is refused with its order_ids and the reason. unknown: the outcome is not known yet, so do not repeat the command. settled: what became of it, with the outcome filled, open, absent or done (a change); svc searches pushes and tables for it; absent takes 10 seconds, because the gateway may be slow. result: what a command that reads, or one with "preview": true, found, in value, as with -o json, with at most 10,000 rows; code says why the exit status of the command would not be 0. heartbeat: with --heartbeat; reachable says whether the gateway is, in_flight counts commands without a response, open counts accepted orders that have not ended. unreachable and recovered: the state of the connection; the code unauthorized means that the gateway refuses the token, and after six refusals in a row the session ends with exit 4. ended: the last event, with the orders that are still open. If the outcome of a command stays unknown, the exit status is 8: see svc trade journal settle.
{"id":"s1","command":"subscribe","what":["EUR/USD","Order"]} subscribes to symbols and tables, and unsubscribe ends that; the result lists all subscriptions. push: one push, with the id of the command that subscribed to it, and with kind, table, key and data as in svc trade stream. svc restores subscriptions after an outage; gap says between which times their pushes are missing (from, to, reason, subscriptions).
With "once": "<key>", at most one order is sent with that key: a repetition gets the events of the first order, and another order with the key is refused (key_conflict). Without a key, an order that is identical to one whose outcome is unknown is refused (confirmation_required).
Commands run at the same time: to have one follow another, wait for the event of the first. While the gateway is unreachable, commands that change something are refused and not sent; those that read wait for it.
With --dry-run the session connects, reads and subscribes, and the result of a change has the requests that are not sent.
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
  if (ctx.wants.curl) throw noCurlLine();
  if (ctx.interactive) {
    throw new SvcError('missing_value', 'standard input is a terminal, but commands are expected', {
      hint: 'pipe the commands in',
    });
  }
  await checkConfirmable('send the commands of standard input?', input.account, ctx);
  const { tradeEvents } = await import('../session/events.ts');
  return { value: tradeEvents(input, ctx) };
}
