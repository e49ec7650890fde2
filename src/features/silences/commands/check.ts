import { listCommand } from '../../../cli/command.ts';
import { formatDuration } from '../../../duration.ts';
import { SvcError } from '../../../errors.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import { collect } from '../../alerts/selection.ts';
import { SILENCE_LIST } from '../columns.ts';
import { CURRENT, SELECTION_FLAGS, selectedSilences } from '../selection.ts';

export const silencesCheck = listCommand({
  id: 'silences check',
  summary: 'Check that no silence is about to end; exit 1 if one is',
  description: 'Lists the active and pending silences that end within --expiring-within, the first to end at the top.',
  effect: 'read',
  service: 'alerts',
  clusters: { merge: firstToEnd },
  args: { matcher: { help: 'Only silences with exactly these matchers', repeat: true } },
  flags: {
    'expiring-within': { type: 'duration', positive: true, required: true, help: 'How soon is too soon' },
    ...SELECTION_FLAGS,
  },
  exits: ['condition_false', 'not_known'],
  examples: [
    { run: 'svc silences check --expiring-within 2h', why: 'From cron: report silences that end within two hours' },
    {
      run: 'svc silences check --expiring-within 1h --comment CHG-1042 -q | svc silences extend - --for 2h',
      why: 'Extend those of one change that are about to end',
    },
  ],
  output: { ...SILENCE_LIST, empty: 'ok: no matching silence ends within this time' },
  async run({ expiringWithin: within, ...input }, ctx) {
    const selection = { ...input, states: CURRENT, within };
    const found = await collect(await selectedSilences(selection, input.matcher, openAlertmanager(ctx.target), ctx));
    const value = firstToEnd(found);
    if (value.length === 0 && ctx.omitted.rows > 0)
      throw new SvcError('not_known', 'some silences could not be read; no other ends within this time');
    if (value.length === 0) return { value };
    const subject = value.length === 1 ? '1 silence ends' : `${value.length} silences end`;
    return { value, code: 'condition_false', footer: `failed: ${subject} within ${formatDuration(within)}` };
  },
});

function firstToEnd<S extends { readonly endsAt: string }>(silences: readonly S[]): readonly S[] {
  return silences.toSorted((a, b) => Date.parse(a.endsAt) - Date.parse(b.endsAt));
}
