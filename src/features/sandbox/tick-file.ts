/** Reads recorded ticks, as `svc trade stream --prices` writes them: NDJSON, or CSV with a header (docs/tick-files.md). */
import { SvcError } from '../../errors.ts';
import { isObject, tryParseJson } from '../../json-object.ts';
import type { RecordedTick } from '../../sandbox/trade/moving-prices.ts';

const NUMBERS = ['bid', 'ask', 'high', 'low'] as const;
const REQUIRED: ReadonlySet<string> = new Set(['bid', 'ask']);

type Fields = Readonly<Record<string, unknown>>;

/** Throws `invalid_value` for the first invalid line, and if the sandbox has none of the symbols. */
export function readTicks(text: string, path: string): readonly RecordedTick[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  const isCsv = first >= 0 && !lines[first]?.trimStart().startsWith('{');
  const columns = isCsv ? columnsOf(lines[first] ?? '', path, first + 1) : [];
  const ticks: RecordedTick[] = [];
  for (const [index, line] of lines.entries()) {
    // Files joined by cat have several headers.
    if (line.trim() === '' || (isCsv && line === lines[first])) continue;
    const fail = (reason: string): never => invalid(path, index + 1, reason);
    const fields = isCsv ? csvFields(line, columns, fail) : jsonFields(line, fail);
    // Outages are in recordings, too.
    if (fields['event'] === undefined) ticks.push(tickOf(fields, fail));
  }
  if (ticks.length === 0) throw new SvcError('invalid_value', `--replay: ${path} has no ticks`);
  return ticks;
}

function invalid(path: string, line: number, reason: string): never {
  throw new SvcError('invalid_value', `--replay: ${path}, line ${line}: ${reason}; nothing was started`, {
    hint: 'svc trade stream EUR/USD --prices -o csv > FILE records a file',
    more: { line },
  });
}

function columnsOf(header: string, path: string, line: number): readonly string[] {
  const columns = header.split(',').map((name) => unquoted(name.trim()));
  for (const name of ['time', 'symbol', ...REQUIRED]) {
    if (!columns.includes(name)) invalid(path, line, `the header has no column "${name}"`);
  }
  return columns;
}

function unquoted(cell: string): string {
  return /^".*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

function csvFields(line: string, columns: readonly string[], fail: (reason: string) => never): Fields {
  // No value of a tick contains a comma.
  const cells = line.split(',').map((cell) => unquoted(cell.trim()));
  if (cells.length !== columns.length) fail(`${cells.length} values for ${columns.length} columns`);
  const number = (name: string, cell: string): unknown =>
    cell === '' ? undefined : (NUMBERS as readonly string[]).includes(name) ? Number(cell) : cell;
  return Object.fromEntries(columns.map((name, index) => [name, number(name, cells[index] ?? '')]));
}

function jsonFields(line: string, fail: (reason: string) => never): Fields {
  const value = tryParseJson(line);
  if (value === undefined) return fail('not JSON');
  return isObject(value) ? value : fail('not a JSON object');
}

function tickOf(fields: Fields, fail: (reason: string) => never): RecordedTick {
  const [time, symbol] = ['time', 'symbol'].map((name) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? value : fail(`no ${name}`);
  }) as [string, string];
  const at = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(time) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(at)) fail(`the time ${JSON.stringify(time)} is not RFC 3339`);
  const [bid, ask, high, low] = NUMBERS.map((name) => {
    const value = fields[name] ?? undefined;
    if (value === undefined && REQUIRED.has(name)) return fail(`no ${name}`);
    if (value === undefined || (typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY)) {
      return value;
    }
    return fail(`${name} is not a positive number`);
  }) as [number, number, number | undefined, number | undefined];
  if (ask < bid) fail(`the ask ${ask} is below the bid ${bid}`);
  if (high !== undefined && low !== undefined && high < low) fail(`the high ${high} is below the low ${low}`);
  return { at, symbol, bid, ask, high, low };
}
