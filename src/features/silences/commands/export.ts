import { listCommand } from '../../../cli/command.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { SILENCE_COLUMNS } from '../columns.ts';
import { SELECTION_FLAGS, STATE_FLAGS, selectedSilences, selectionOf, silenceFilter } from '../selection.ts';

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
    const filter = silenceFilter(input.matcher, ctx);
    const selection = selectionOf(input);
    return { value: await selectedSilences(selection, filter, openAlertmanager(ctx.target), ctx) };
  },
});
