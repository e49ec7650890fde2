/** `catalog categories get` and `catalog settlements get`: one record by its number. */
import { recordCommand } from '../../../cli/command.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { CATEGORY_RECORD, SETTLEMENT_RECORD } from '../columns.ts';
import type { Category, Settlement } from '../schema.ts';

type Catalog = ReturnType<typeof openCatalog>;
type Read<T> = (catalog: Catalog, id: string) => Promise<T>;

const getByNumber = <T>(nouns: string, noun: string, example: number, output: RecordOutput<T>, read: Read<T>) =>
  recordCommand({
    id: `catalog ${nouns} get`,
    summary: `Show one ${noun}`,
    effect: 'read',
    service: 'catalog',
    args: { id: { help: 'Id (a number)', required: true } },
    examples: [{ run: `svc catalog ${nouns} get ${example}`, why: `Show one ${noun}` }],
    output,
    async run({ id }, ctx) {
      return { value: await read(openCatalog(ctx.target), id) };
    },
  });

export const catalogCategoriesGet = getByNumber<Category>(
  'categories',
  'category',
  12,
  CATEGORY_RECORD,
  (catalog, id) => catalog.category(id),
);
export const catalogSettlementsGet = getByNumber<Settlement>(
  'settlements',
  'settlement',
  3,
  SETTLEMENT_RECORD,
  (catalog, id) => catalog.settlement(id),
);
