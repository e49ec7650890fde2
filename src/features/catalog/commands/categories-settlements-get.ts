/** `catalog categories get` and `catalog settlements get`: one record by its number. */
import { recordCommand } from '../../../cli/command.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { CATEGORY_RECORD, SETTLEMENT_RECORD } from '../columns.ts';
import { checkNumericId, PARAM_FLAG } from '../lists.ts';
import type { Category, Settlement } from '../schema.ts';

type Catalog = ReturnType<typeof openCatalog>;
type Read<T> = (catalog: Catalog, ...of: Parameters<Catalog['category']>) => Promise<T>;

const getByNumber = <T>(nouns: string, noun: string, example: number, output: RecordOutput<T>, read: Read<T>) =>
  recordCommand({
    id: `catalog ${nouns} get`,
    summary: `Show one ${noun}`,
    effect: 'read',
    service: 'catalog',
    args: { id: { help: 'Id (a number)', required: true } },
    flags: { param: PARAM_FLAG },
    examples: [{ run: `svc catalog ${nouns} get ${example}`, why: `Show one ${noun}` }],
    output,
    async run({ id, param }, ctx) {
      checkNumericId(id);
      return { value: await read(openCatalog(ctx.target), id, param) };
    },
  });

export const catalogCategoriesGet = getByNumber<Category>(
  'categories',
  'category',
  12,
  CATEGORY_RECORD,
  (catalog, ...of) => catalog.category(...of),
);
export const catalogSettlementsGet = getByNumber<Settlement>(
  'settlements',
  'settlement',
  3,
  SETTLEMENT_RECORD,
  (catalog, ...of) => catalog.settlement(...of),
);
