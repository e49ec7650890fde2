import { listCommand } from '../../../cli/command.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { collect } from '../../alerts/selection.ts';
import { SILENCE_LIST, silenceCandidates } from '../columns.ts';
import { noneText, SELECTION_FLAGS, STATE_FLAGS, selectedSilences, selectionOf } from '../selection.ts';

export const silencesList = listCommand({
  id: 'silences list',
  summary: 'List silences (active and pending by default)',
  description:
    'Matchers are compared as text: instance="web-1" does not find a silence with instance=~"web.*". Use --for-alert to find what mutes an alert.',
  details: 'Alertmanager has no history: a silence that muted an alert an hour ago and mutes none now is unused.',
  effect: 'read',
  service: 'alerts',
  clusters: {},
  args: { matcher: { help: 'Only silences with exactly these matchers', repeat: true } },
  flags: {
    ...STATE_FLAGS,
    ...SELECTION_FLAGS,
    limit: { type: 'integer', min: 0, help: 'Maximum number of results' },
  },
  examples: [
    { run: 'svc silences list --author me --within 3d', why: 'My silences that end within three days' },
    { run: 'svc silences list --for-alert 1a58c20e', why: 'What mutes this alert' },
    {
      run: 'svc silences list --expired --within 2h --comment "~CHG-[0-9]+"',
      why: 'Recently expired, by change number',
    },
  ],
  output: SILENCE_LIST,
  offers: silenceCandidates,
  async run(input, ctx) {
    const selection = selectionOf(input);
    const found = await selectedSilences(selection, input.matcher, openAlertmanager(ctx.target), ctx);
    // All of them, to say how many are left out.
    const value = input.limit === undefined ? found : await collect(found);
    return { value, as: { ...SILENCE_LIST, empty: noneText(selection) } };
  },
});
