import { listCommand } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { SESSION_FLAGS, withTrading } from '../../inputs/trading-session.ts';
import { isModelName, MODEL_NAMES } from '../../services/trading/models.ts';

type AnyRow = Readonly<Record<string, unknown>>;

export const tradeModel = listCommand({
  id: 'trade model',
  summary: 'Show the rows of any table as they are',
  description: `One look, without the row of totals. The tables are ${MODEL_NAMES.join(', ')}.`,
  effect: 'read',
  service: 'trade',
  args: { name: { help: 'The table, in these very letters', required: true } },
  flags: { limit: { type: 'integer', value: 'n', min: 0, help: 'At most so many' }, ...SESSION_FLAGS },
  examples: [
    { run: 'svc trade model Properties -o json', why: 'A table that has no command of its own' },
    { run: 'svc trade model LeverageProfile -o ndjson', why: 'A row a line' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'key', cell: keyOf },
      { name: 'row', cell: (row: AnyRow) => JSON.stringify(row), flex: true },
    ],
    id: keyOf,
    empty: 'the table is empty',
  },
  async run(input, ctx) {
    const { name } = input;
    if (!isModelName(name)) {
      throw new SvcError('invalid_value', `there is no table ${name}`, {
        hint: `the tables are ${MODEL_NAMES.join(', ')}`,
      });
    }
    return withTrading(ctx, input, async ({ trading }) => ({ value: await trading.model(name) }));
  },
});

/** An order has a trade's id, too, and both name an account. */
const KEYS = ['orderId', 'tradeId', 'offerId', 'accountId'];

/** Of whichever table it is. */
function keyOf(row: AnyRow): string | undefined {
  const field = KEYS.find((key) => row[key] !== undefined);
  return field === undefined ? undefined : String(row[field]);
}
