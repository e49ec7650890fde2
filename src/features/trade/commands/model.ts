import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput } from '../../../output/types.ts';
import { isModelName, MODEL_NAMES, MODELS } from '../models.ts';
import { SESSION_FLAGS, withTrading } from '../trading-session.ts';

type AnyRow = Readonly<Record<string, unknown>>;

export const tradeModel = listCommand({
  id: 'trade model',
  summary: 'Show the rows of any table as they are',
  description: `One look, without the row of totals. The tables are ${MODEL_NAMES.join(', ')}. How one is asked for and answered, and what most of them hold, is not in the interface document: it is as seen on the public implementation.`,
  effect: 'read',
  service: 'trade',
  args: { name: { help: 'The table, in these very letters', required: true } },
  flags: { limit: { type: 'integer', value: 'n', min: 0, help: 'At most so many' }, ...SESSION_FLAGS },
  examples: [
    { run: 'svc trade model Properties -o json', why: 'A table that has no command of its own' },
    { run: 'svc trade model LeverageProfile -o ndjson', why: 'A row a line' },
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
    return withTrading(ctx, input, async ({ trading }) => ({
      value: await trading.model(name),
      as: outputOf(input),
    }));
  },
});

function outputOf({ name }: { readonly name: string }): ListOutput<AnyRow> {
  return rowList(isModelName(name) ? MODELS[name].key : undefined);
}

/** Rows of some tables have nothing to tell them apart by. */
function rowList(key: string | undefined): ListOutput<AnyRow> {
  const keyOf = (row: AnyRow): string | undefined => {
    const value = key === undefined ? undefined : row[key];
    return value === undefined ? undefined : String(value);
  };
  return {
    kind: 'list',
    columns: [
      ...(key === undefined ? [] : [{ name: 'key', cell: keyOf }]),
      { name: 'row', cell: (row) => JSON.stringify(row), flex: true },
    ],
    id: keyOf,
    empty: 'the table is empty',
  };
}
