import { type Answer, type RunContext, recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { isDumb } from '../../../output/terminal.ts';
import type { Column, Dashboard, ListOutput } from '../../../output/types.ts';
import { moneyCell } from '../columns.ts';
import type { Overview } from '../dashboard.ts';
import { FEED_FLAGS } from '../gateway/trading-feed.ts';
import { type TradingOptions, type TradingSession, withTrading } from '../gateway/trading-session.ts';
import { ROW_FLAGS } from '../tables/trading-rows.ts';
import type { Moment } from '../tables/watching.ts';

/** On a terminal that cannot be redrawn. */
const DUMB_MS = 5_000;

const money = (name: string, amount: (overview: Overview) => number | undefined): Column<Overview> => ({
  name,
  cell: (overview) => moneyCell(amount(overview)),
});

const COLUMNS: readonly Column<Overview>[] = [
  { name: 'at', cell: ({ at }) => ({ time: at }) },
  { name: 'session', cell: ({ session }) => session.state },
  money('balance', ({ totals }) => totals.accounts.balance),
  money('equity', ({ totals }) => totals.accounts.equity),
  money('usable-margin', ({ totals }) => totals.accounts.usableMargin),
  money('day-pl', ({ totals }) => totals.accounts.dayPL),
  money('gross-pl', ({ totals }) => totals.positions.grossPL),
  money('net-pl', ({ totals }) => totals.positions.netPL),
  { name: 'symbols', cell: ({ positions }) => positions.length },
  { name: 'orders', cell: ({ orders }) => orders.length },
];

type Event = { readonly event: 'dashboard' } & Overview;
interface OutageEvent {
  readonly event: 'unreachable' | 'recovered';
  readonly at: string;
  readonly reason?: string | undefined;
}

const EVENTS: ListOutput<Event | OutageEvent> = { kind: 'list', columns: [], id: ({ at }) => at };

interface Input extends TradingOptions {
  readonly account: string | undefined;
  readonly interval: number;
  readonly until: string | undefined;
}

export const tradeDashboard = recordCommand({
  id: 'trade dashboard',
  summary: 'Show accounts, positions, orders and profit on one screen',
  description:
    "Reads the tables once, then follows the pushes: accounts, positions by symbol with totals, open orders, the day's profit, and the state of the session. A terminal redraws it (q or Ctrl-C ends it), -o ndjson prints a line after each change, and any other output is of one moment.",
  details:
    'The totals assume that all accounts have the same currency. While the gateway is unreachable, the screen says NOT CONNECTED, why, and how old the data is; so it does if no push comes for 10 seconds although positions are open and the forex market is, too. JSON has the keys at, session (state, transport, since, last_push, last_heartbeat, gaps, reason, data_of), market, totals, accounts, positions (one row for each symbol) and orders. -o ndjson prints {"event":"dashboard", …} with these keys, and {"event":"unreachable","at","reason"} and {"event":"recovered","at"} for outages. If --until ends it while the gateway is unreachable, the exit status is 7. A dumb terminal gets a picture every 5 seconds at most. The requests and the rows beyond the interface document are as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  streams: () => true,
  flags: {
    account: ROW_FLAGS.account,
    interval: {
      type: 'duration',
      positive: true,
      default: '500ms',
      group: 'Follow options',
      help: 'Minimum refresh interval',
    },
    ...FEED_FLAGS,
  },
  examples: [
    { run: 'svc trade dashboard', why: 'Follow everything on one screen' },
    { run: 'svc trade dashboard --account 654061 -o json', why: 'One account at this moment, for a program' },
    { run: 'svc trade dashboard -o ndjson --until 1h', why: 'Follow it in a script' },
  ],
  output: { kind: 'record', columns: COLUMNS, id: ({ at }) => at },
  async run(input, ctx): Promise<Answer<Overview>> {
    const { wants } = ctx;
    const isDrawn = wants.table && !wants.fields;
    if (!isDrawn && !wants.fields) throw new SvcError('usage', 'a dashboard has no ids, so -q and -o id do not apply');
    if (wants.events) return { value: events(input, ctx), as: EVENTS };
    const server = ctx.target.baseUrl.host;
    if (isDrawn && wants.terminal) return { value: pictures(input, server, ctx), as: { kind: 'dashboard' } };
    const value = await now(input, ctx);
    if (!isDrawn) return { value };
    const { drawn } = await import('../dashboard.ts');
    return { value: [drawn(value, server, false)], as: { kind: 'dashboard' } };
  },
});

async function now({ account, ...options }: Input, ctx: RunContext): Promise<Overview> {
  const { OverviewSource } = await import('../dashboard.ts');
  const { ConnectionState } = await import('../gateway/connection-state.ts');
  return withTrading(ctx, options, async (open) => {
    const source = await OverviewSource.of(account, open, ctx.now);
    await source.snapshot(open.trading);
    const at = ctx.now();
    return source.overview({ at, state: new ConnectionState(at), session: open.session });
  });
}

async function* pictures(input: Input, server: string, ctx: RunContext): AsyncGenerator<Dashboard, void, void> {
  const { drawn, notYet } = await import('../dashboard.ts');
  const everyMs = isDumb(ctx.env) ? Math.max(input.interval, DUMB_MS) : input.interval;
  const pace = (ageMs: number) => ({ everyMs, restMs: isDumb(ctx.env) ? 2 * DUMB_MS : ageMs });
  for await (const { overview, moment } of overviews(input, pace, ctx)) {
    yield overview === undefined ? notYet(moment, server) : drawn(overview, server, true);
  }
}

async function* events(input: Input, ctx: RunContext): AsyncGenerator<Event | OutageEvent, void, void> {
  const { NEVER_MS } = await import('../tables/watching.ts');
  const pace = () => ({ everyMs: input.interval, restMs: NEVER_MS });
  for await (const { overview, outage, moment } of overviews(input, pace, ctx)) {
    const at = new Date(moment.at).toISOString();
    if (outage !== undefined) yield { event: outage.event, at, reason: outage.reason };
    if (overview !== undefined && outage?.event !== 'unreachable') yield { event: 'dashboard', ...overview };
  }
}

async function* overviews(
  { account, until, interval: _, ...options }: Input,
  paceOf: (ageMs: number) => { readonly everyMs: number; readonly restMs: number },
  ctx: RunContext,
) {
  const { OverviewSource } = await import('../dashboard.ts');
  const { AGE_MS, watching } = await import('../tables/watching.ts');
  const sourceOf = (open: TradingSession) => OverviewSource.of(account, open, ctx.now);
  const shotOf = (source: InstanceType<typeof OverviewSource> | undefined, moment: Moment) => ({
    overview: source?.overview(moment),
    outage: moment.state.takeOutage(),
    moment,
  });
  yield* watching({ sourceOf, shotOf, until, pace: paceOf(AGE_MS) }, options, ctx);
}
