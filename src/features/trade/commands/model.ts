import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput } from '../../../output/types.ts';
import { withTrading } from '../gateway/trading-session.ts';
import { isModelName, MODEL_NAMES, MODELS } from '../models.ts';

type AnyRow = Readonly<Record<string, unknown>>;

export const tradeModel = listCommand({
  id: 'trade model',
  summary: 'Show the rows of any table',
  description: `The tables are ${MODEL_NAMES.join(', ')}. Rows are printed as received. The gateway's row of totals is left out.`,
  details:
    'The request and most fields are not in the interface document: they are as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  args: { name: { help: 'Table name (exact spelling)', required: true } },
  flags: {
    limit: { type: 'integer', value: 'n', min: 0, help: 'Maximum number of results' },
  },
  examples: [
    { run: 'svc trade model Properties -o json', why: 'Show a table without a command of its own' },
    { run: 'svc trade model LeverageProfile -o ndjson', why: 'Print one row per line' },
  ],
  output: rowList('orderId'),
  outputOf,
  async run(input, ctx) {
    const { name } = input;
    if (!isModelName(name)) {
      throw new SvcError('invalid_value', `there is no table ${name}`, {
        hint: `the tables are ${MODEL_NAMES.join(', ')}`,
      });
    }
    return withTrading(ctx, async ({ trading }) => {
      const rows: readonly AnyRow[] = await trading.model(name);
      return { value: rows, as: outputOf(input) };
    });
  },
});

function outputOf({ name }: { readonly name: string }): ListOutput<AnyRow> {
  return rowList(isModelName(name) ? MODELS[name].key : undefined);
}

/** Some tables have no key. */
function rowList(key: string | undefined): ListOutput<AnyRow> {
  const keyOf = (row: AnyRow): string | undefined => {
    const value = key === undefined ? undefined : row[key];
    return value === undefined ? undefined : String(value);
  };
  return {
    kind: 'list',
    columns: [
      ...(key === undefined ? [] : [{ name: 'key', cell: keyOf }]),
      { name: 'row', cell: (row) => JSON.stringify(row), shrinks: true },
    ],
    id: keyOf,
    empty: 'the table is empty',
  };
}
