import { join } from 'node:path';
import { recordCommand } from '../../../cli/command.ts';
import { section } from '../../../cli/flags.ts';
import { zoneOf } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { withLock } from '../../../store/lock.ts';
import { openCatalog } from '../api.ts';
import { type Exported, exportProducts, prepareFolder } from '../export/exporting.ts';
import { type CsvStyle, EXPORT_FORMATS, type ExportFormat } from '../export/files.ts';
import { readingProblems, TZ_FLAG } from '../lists.ts';
import { SELECTION_ARGUMENT, SELECTION_FLAGS, type SelectionInput, selectedProducts } from '../selection.ts';
import { plainInstant } from '../window.ts';

const SUMMARY: RecordOutput<Exported> = {
  kind: 'record',
  columns: [
    { name: 'folder', cell: ({ folder }) => folder },
    { name: 'products', cell: ({ products }) => products },
    { name: 'offers', cell: ({ offers }) => offers },
    { name: 'snapshots', cell: ({ snapshots }) => snapshots },
    { name: 'new', cell: ({ newSnapshots }) => newSnapshots },
    { name: 'files', cell: ({ files }) => files },
    { name: 'vanished', cell: ({ vanished }) => vanished },
  ],
  id: ({ folder }) => folder,
};

const DELIMITERS: Readonly<Record<string, string>> = { ',': ',', ';': ';', '|': '|', tab: '\t' };

const oneOf = (option: string, choices: readonly string[]) => (text: string) => {
  if (choices.includes(text)) return;
  throw new SvcError('invalid_value', `${option} ${JSON.stringify(text)} is not one of ${choices.join(' ')}`);
};

export const catalogExport = recordCommand({
  id: 'catalog export',
  summary: 'Export offers and snapshots to files',
  description:
    'Writes the files offers and snapshots into the folder. The next run adds what is new since then. An interrupted run is resumed by the same command.',
  details:
    'offers has the newest row of each store, place and unit; snapshots has all observations that svc has read, with the title, unit and place of their source. Both are in the order of product ids, and snapshots of a product by time. ndjson has the objects as the service returns them, with all fields. csv and Parquet have fixed columns named like the fields: numbers are doubles, ids are 64-bit integers, times are in UTC with microseconds. In Parquet, a value of another type is null, and its column is named. csv has an empty field for null and "" for an empty text; without --raw, control characters are escaped, and an apostrophe precedes what a spreadsheet could take for a formula.\nThe folder also has state.ndjson, from which the files are made: another --format reads nothing twice. The next run reads the offers, and of each product the snapshots since its newest one; if the number of snapshots then differs from that of the service, it reads all of them. --since reads from an earlier time again, or limits the first run. A folder belongs to one server and one selection of products.\nWhile a run reads, state.part.ndjson grows product by product. After a kill or a full disk, the same command continues with it, and the files have the same bytes as after an uninterrupted run. The files are replaced only when all of them are complete. If products cannot be read, they are named, the files have what earlier runs read of them, and the exit status is 10.',
  effect: 'read',
  service: 'catalog',
  args: {
    folder: { help: 'Folder for the files; created if it does not exist', required: true, complete: 'files' },
    id: { help: SELECTION_ARGUMENT.id.help, repeat: true, complete: 'products' },
  },
  flags: {
    ...SELECTION_FLAGS,
    ...section('File options', {
      format: { type: 'choice', choices: EXPORT_FORMATS, default: 'ndjson', help: 'Format of the files' },
      since: { type: 'time', bare: 'back', dates: true, help: 'Read snapshots from then on (default the last run)' },
      tz: { ...TZ_FLAG },
      force: { type: 'boolean', help: 'Replace files that svc did not export' },
    }),
    ...section('CSV options', {
      delimiter: {
        type: 'string',
        value: 'char',
        check: oneOf('--delimiter', Object.keys(DELIMITERS)),
        help: 'Delimiter: , ; | or tab (default ,)',
      },
      decimal: {
        type: 'string',
        value: 'char',
        default: '.',
        check: oneOf('--decimal', ['.', ',']),
        help: 'Decimal separator: . or ,',
      },
      raw: { type: 'boolean', help: 'Write texts unchanged, formulas and line breaks too' },
      bom: { type: 'boolean', help: 'Begin with a byte order mark, for Excel' },
    }),
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog export prices', why: 'Export the catalog, and later what is new' },
    { run: "svc catalog export prices --format csv --delimiter ';' --decimal ,", why: 'Write csv for a spreadsheet' },
  ],
  output: SUMMARY,
  async run(input, ctx) {
    const csv = csvStyle(input);
    const since = input.since && plainInstant(input.since, ctx.now(), zoneOf(input.tz ?? 'local'));
    prepareFolder(input);
    const catalog = openCatalog(ctx.target);
    const problems = readingProblems(ctx);
    return withLock(join(input.folder, 'state.lock'), ctx, async () => {
      const selected = await selectedProducts(catalog, input, ctx, problems.report, { all: true });
      const request = { server: ctx.target.baseUrl.href, ...selectionOf(input) };
      const options = { ...input, catalog, selected, csv, since, request };
      const { value, code } = await exportProducts(options, problems.report, ctx);
      return { value, code: code ?? problems.code };
    });
  },
});

/** What decides which products and rows are in the files. */
function selectionOf({ id, search, category, store, place, file, maxProducts }: SelectionInput) {
  return { id, search, category, store, place, file, maxProducts };
}

interface CsvInput extends Omit<CsvStyle, 'delimiter'> {
  readonly format: ExportFormat;
  readonly delimiter: string | undefined;
}

function csvStyle({ format, delimiter, decimal, raw, bom }: CsvInput): CsvStyle {
  if (format !== 'csv' && (delimiter !== undefined || decimal !== '.' || raw || bom)) {
    throw new SvcError('usage', '--delimiter, --decimal, --raw and --bom need --format csv');
  }
  if (decimal === ',' && (delimiter ?? ',') === ',') {
    throw new SvcError('usage', "--decimal , needs another --delimiter: pass --delimiter ';'");
  }
  return { delimiter: DELIMITERS[delimiter ?? ','] ?? ',', decimal, raw, bom };
}
