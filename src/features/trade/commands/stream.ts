import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Cell, ListOutput } from '../../../output/types.ts';
import { moneyCell, sideWord } from '../columns.ts';
import { FEED_FLAGS } from '../gateway/trading-feed.ts';
import { isModelName, MODEL_NAMES } from '../models.ts';
import { orderStateText, orderTypeText } from '../order-text.ts';
import { shownTime } from '../tables/table-time.ts';
import { TICK_LIST, tickLines } from '../ticks/price-ticks.ts';
import type { StreamEvent } from '../ticks/stream-event.ts';
import { STREAM_EVENTS, type StreamInput, streamed } from '../ticks/stream-rows.ts';
import { parseRotation } from '../ticks/tick-file.ts';
import { RECORDING, recordTicks } from '../ticks/tick-recording.ts';

/** More than a person can read on a terminal. */
const LINES_PER_SECOND = 50;

const STREAM_LIST: ListOutput<StreamEvent> = {
  kind: 'list',
  columns: [
    { name: 'ts', cell: ({ ts }) => ts },
    { name: 'kind', cell: ({ kind }) => kind },
    { name: 'table', cell: ({ table }) => table },
    { name: 'key', cell: ({ key }) => key },
    { name: 'data', cell: ({ data }) => JSON.stringify(data), flex: true },
  ],
  id: ({ key }) => key ?? undefined,
  json: ({ json }) => json,
  live: liveCells,
  linesPerSecond: LINES_PER_SECOND,
};

export const tradeStream = listCommand({
  id: 'trade stream',
  summary: 'Stream prices and table changes as they are pushed',
  description: `Subscribes to symbols and to the tables ${MODEL_NAMES.join(', ')} (exact spelling). Prints every push; a terminal shows at most 50 lines a second. Reconnects after an outage and reports what was missed as a gap.`,
  details: `Each NDJSON line is {"ts","kind","table","key","data"}. ts is the time of arrival by this machine's clock. data is the record as received. kind is I, U or D for a row that was inserted, updated or deleted (an update may have only the changed fields); price; snapshot for a row of --snapshot; other for unknown records; and unreachable, recovered, gap or closed for the connection. The form of a price and the actions U and D are as seen on the public implementation.
When the gateway cannot be reached, also at the start, {"event":"unreachable","at","reason"} is printed at once, and {"event":"recovered","at"} when it can be reached again, together with the usual keys. svc then reconnects and resubscribes. gap says between which times pushes are missing; with --snapshot the tables are read again. closed is printed before a stream ends because its connection is lost for good (exit 7). If --until ends the stream while the gateway is unreachable, the exit status is 7, too.
With --prices, a row has time (of the gateway, in UTC), symbol, bid, ask, high and low (of the day), and other pushes are left out; NDJSON and JSON have outages and gaps as {"event","at"} between them, csv and tsv only prices, with notices on standard error.
--out writes these rows to a file, each as it arrives, and syncs it to the disk once a second. --rotate renames a full file to ticks.000001.csv, or that of a day to ticks.2026-11-23.csv, and begins a new one. --resume continues a file: it removes an incomplete last line, and notes the interruption as a gap in NDJSON. Only one process can record to a file. -o ndjson prints outages meanwhile.
--until counts only pushes. A slow reader slows polling down. A websocket whose reader falls 64 MiB behind ends the stream with exit 10.`,
  effect: 'read',
  service: 'trade',
  streams: () => true,
  args: { what: { help: 'A symbol such as EUR/USD, or a table such as Order', required: true, repeat: true } },
  flags: {
    snapshot: { type: 'boolean', help: 'Print the current rows first (counts towards rate limits)' },
    prices: { type: 'boolean', help: 'Print prices only: time, symbol, bid, ask, high, low' },
    out: {
      type: 'string',
      value: 'file',
      complete: 'files',
      group: 'File options',
      help: 'Record prices to a .csv or .ndjson file',
    },
    rotate: {
      type: 'string',
      value: 'size|day',
      check: (text: string) => void parseRotation(text),
      group: 'File options',
      help: 'Begin a new file at this size or with each day (UTC)',
    },
    resume: { type: 'boolean', group: 'File options', help: 'Continue an existing file' },
    ...FEED_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade stream EUR/USD USD/JPY', why: 'Follow two prices' },
    {
      run: 'svc trade stream Order OpenPosition --snapshot -o ndjson',
      why: 'Follow orders and positions in a program',
    },
    { run: 'svc trade stream EUR/USD --prices --until 100 -o csv', why: 'Save the next hundred ticks' },
    {
      run: 'svc trade stream EUR/USD USD/JPY --out ticks.ndjson --rotate day --resume',
      why: 'Record prices day by day',
    },
  ],
  output: STREAM_LIST,
  outputOf: ({ prices, out }) => (out !== undefined ? RECORDING : prices ? TICK_LIST : STREAM_LIST),
  async run(input, ctx) {
    const { prices, out, rotate, resume } = input;
    if (out === undefined && (rotate !== undefined || resume)) {
      throw new SvcError('usage', `--${resume ? 'resume' : 'rotate'} needs --out`);
    }
    if (!prices && out === undefined) return { value: streamed(input, STREAM_EVENTS, ctx) };
    checkPrices(input);
    if (out !== undefined) return { value: await recordTicks({ ...input, out }, ctx), as: RECORDING };
    const { table, document, events } = ctx.wants;
    return { value: streamed(input, tickLines({ events: table || document || events }), ctx), as: TICK_LIST };
  },
});

function checkPrices({ what, snapshot, out }: StreamInput & { readonly out: string | undefined }): void {
  const option = out === undefined ? '--prices' : '--out';
  if (snapshot) throw new SvcError('usage', `--snapshot and ${option} cannot be combined`);
  const table = what.find(isModelName);
  if (table !== undefined) throw new SvcError('usage', `${option} is for symbols, and ${table} is a table`);
}

type Fields = Readonly<Record<string, unknown>>;

function liveCells(event: StreamEvent): readonly Cell[] {
  const { ts, kind, table, key, data } = event;
  const fields = typeof data === 'object' && data !== null ? (data as Fields) : {};
  const time = ts.slice(11);
  if (kind === 'recovered') return [time, { text: kind, tone: 'good' }];
  if (kind === 'unreachable' || kind === 'gap' || kind === 'closed')
    return [time, { text: kind, tone: 'bad' }, gapText(fields)];
  if (kind === 'price') return [time, kind, key, ...priceCells(fields)];
  if (table === null) return [time, kind, key, { text: JSON.stringify(data), tone: 'dim' }];
  const tone = kind === 'I' ? 'good' : kind === 'D' ? 'warn' : 'dim';
  return [time, { text: kind, tone }, table, key, ...rowCells(fields)];
}

function gapText({ from, to, reason }: Fields): string {
  return from === undefined ? `${reason}` : `no data from ${from} to ${to}: ${reason}`;
}

function priceCells({ Rates: rates }: Fields): readonly Cell[] {
  return (Array.isArray(rates) ? rates : []).slice(0, 2).map((rate) => String(rate));
}

/** The fields of a row that a person follows. */
function rowCells(fields: Fields): readonly Cell[] {
  const { currency, isBuy, amountK, type, status, grossPL, time } = fields;
  return [
    typeof currency === 'string' ? currency : undefined,
    typeof isBuy === 'boolean' ? sideWord(isBuy) : undefined,
    typeof amountK === 'number' ? `${amountK}K` : undefined,
    typeof type === 'string' ? orderTypeText(type) : undefined,
    typeof status === 'number' ? orderStateText(status) : undefined,
    ...['sell', 'buy', 'open', 'close', 'balance', 'equity'].map((name) => numberCell(name, fields[name])),
    typeof grossPL === 'number' ? ['P/L', moneyCell(grossPL)] : undefined,
    typeof time === 'string' ? { text: shownTime(time) ?? '', tone: 'dim' } : undefined,
  ];
}

/** The tables use 0 for none. */
function numberCell(name: string, value: unknown): Cell {
  return typeof value === 'number' && value !== 0 ? `${name} ${value}` : undefined;
}
