import { listCommand } from '../../../cli/command.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { SILENCE_LIST } from '../columns.ts';
import { SELECTION_FLAGS, STATE_FLAGS, selectedSilences, selectionOf } from '../selection.ts';

export const silencesExport = listCommand({
  id: 'silences export',
  summary: 'Export silences as JSON',
  description: 'Writes every field that the server has, for svc silences import.',
  effect: 'read',
  service: 'alerts',
  defaultFormat: 'json',
  args: { matcher: { help: 'Only silences with exactly these matchers', repeat: true } },
  flags: { ...STATE_FLAGS, ...SELECTION_FLAGS },
  examples: [
    { run: 'svc silences export > silences.json', why: 'Save the silences to a file' },
    { run: 'svc silences export --author me -o ndjson', why: 'My silences, one per line' },
  ],
  output: SILENCE_LIST,
  async run(input, ctx) {
    const selection = selectionOf(input);
    return { value: await selectedSilences(selection, input.matcher, openAlertmanager(ctx.target), ctx) };
  },
});
