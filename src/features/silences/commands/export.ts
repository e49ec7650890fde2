import { listCommand } from '../../../cli/command.ts';
import { filterAsync } from '../../alerts/selection.ts';
import { SILENCE_COLUMNS } from '../columns.ts';
import { SELECTION_FLAGS, STATE_FLAGS, selectionOf, silenceFilter, statesOf } from '../selection.ts';

export const silencesExport = listCommand({
  id: 'silences export',
  summary: 'Write silences out, for import here or elsewhere',
  description: 'JSON unless another format is asked for, with every field the server has.',
  effect: 'read',
  service: 'alerts',
  defaultFormat: 'json',
  args: { matcher: { help: 'Only silences that have all of these very matchers', repeat: true } },
  flags: { ...STATE_FLAGS, ...SELECTION_FLAGS },
  examples: [
    { run: 'svc silences export > silences.json', why: 'Before the server is moved' },
    { run: 'svc silences export --created-by me -o ndjson', why: 'Mine, a line each' },
  ],
  output: { kind: 'list', columns: SILENCE_COLUMNS, id: ({ id }) => id },
  async run(input, ctx) {
    const { openAlertmanager } = await import('../../alerts/api.ts');
    const { silenceTest } = await import('../selection.ts');
    const filter = await silenceFilter(input.matcher, ctx);
    const alertmanager = openAlertmanager(ctx.target);
    const selection = { ...selectionOf(input, ctx), ...statesOf(input) };
    const wanted = await silenceTest(selection, alertmanager, ctx.now());
    return { value: filterAsync(alertmanager.silences(filter), wanted) };
  },
});
