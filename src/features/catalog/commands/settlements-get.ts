import { recordCommand } from '../../../cli/command.ts';
import { openCatalog } from '../api.ts';
import { SETTLEMENT_RECORD } from '../columns.ts';
import { checkNumericId, PARAM_FLAG } from '../lists.ts';

export const catalogSettlementsGet = recordCommand({
  id: 'catalog settlements get',
  summary: 'Show one settlement',
  effect: 'read',
  service: 'catalog',
  args: { id: { help: 'Its id, a number', required: true } },
  flags: { param: PARAM_FLAG },
  examples: [{ run: 'svc catalog settlements get 3', why: 'By its id' }],
  output: SETTLEMENT_RECORD,
  async run({ id, param }, ctx) {
    checkNumericId(id);
    return { value: await openCatalog(ctx.target).settlement(id, param) };
  },
});
