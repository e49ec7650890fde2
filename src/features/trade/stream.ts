/** How pushes are shown as they come. */
import type { Cell, ListOutput } from '../../output/types.ts';
import { moneyCell, sideWord } from './columns.ts';
import { orderStateWords, orderTypeWords } from './order-words.ts';
import type { StreamEvent } from './stream-event.ts';
import { shownTime } from './table-time.ts';

/** More lines than anybody reads on a terminal. */
const LINES_PER_SECOND = 50;

export const STREAM_LIST: ListOutput<StreamEvent> = {
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
  return from === undefined ? `${reason}` : `nothing is known from ${from} to ${to}: ${reason}`;
}

function priceCells({ Rates: rates }: Fields): readonly Cell[] {
  return (Array.isArray(rates) ? rates : []).slice(0, 2).map((rate) => String(rate));
}

/** Of a row's fields those that a person follows; an update has few. */
function rowCells(fields: Fields): readonly Cell[] {
  const { currency, isBuy, amountK, type, status, grossPL, time } = fields;
  return [
    typeof currency === 'string' ? currency : undefined,
    typeof isBuy === 'boolean' ? sideWord(isBuy) : undefined,
    typeof amountK === 'number' ? `${amountK}K` : undefined,
    typeof type === 'string' ? orderTypeWords(type) : undefined,
    typeof status === 'number' ? orderStateWords(status) : undefined,
    ...['sell', 'buy', 'open', 'close', 'balance', 'equity'].map((name) => numberCell(name, fields[name])),
    typeof grossPL === 'number' ? ['P/L', moneyCell(grossPL)] : undefined,
    typeof time === 'string' ? { text: shownTime(time) ?? '', tone: 'dim' } : undefined,
  ];
}

/** 0 stands for none in the tables. */
function numberCell(name: string, value: unknown): Cell {
  return typeof value === 'number' && value !== 0 ? `${name} ${value}` : undefined;
}
