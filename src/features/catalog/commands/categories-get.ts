import { recordCommand } from '../../../cli/command.ts';
import { openCatalog } from '../api.ts';
import { CATEGORY_RECORD } from '../columns.ts';
import { checkNumericId, PARAM_FLAG } from '../lists.ts';

export const catalogCategoriesGet = recordCommand({
  id: 'catalog categories get',
  summary: 'Show one category',
  effect: 'read',
  service: 'catalog',
  args: { id: { help: 'Its id, a number', required: true } },
  flags: { param: PARAM_FLAG },
  examples: [{ run: 'svc catalog categories get 12', why: 'By its id' }],
  output: CATEGORY_RECORD,
  async run({ id, param }, ctx) {
    checkNumericId(id);
    return { value: await openCatalog(ctx.target).category(id, param) };
  },
});
