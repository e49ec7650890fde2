import { listCommand } from '../../../cli/command.ts';
import { type AnyOutput, type ListOutput, RawJson } from '../../../output/types.ts';
import { silenceCandidates } from '../../alerts/columns.ts';
import type { Silence } from '../../alerts/schema.ts';
import { filterAsync } from '../../alerts/selection.ts';
import { COUNTED_COLUMNS, type CountedSilence, SILENCE_COLUMNS } from '../columns.ts';
import { SELECTION_FLAGS, STATE_FLAGS, selectionOf, silenceFilter, statesOf } from '../selection.ts';

const SILENCE_LIST: ListOutput<Silence> = {
  kind: 'list',
  columns: SILENCE_COLUMNS,
  id: ({ id }) => id,
  empty: 'no such silences (expired ones are listed with -a)',
};
const COUNTED_LIST: ListOutput<CountedSilence> = { ...SILENCE_LIST, columns: COUNTED_COLUMNS, id: ({ id }) => id };

export const silencesList = listCommand({
  id: 'silences list',
  aliases: ['ls', 'query'],
  summary: 'List silences, active and pending ones unless told otherwise',
  description:
    'Matchers are compared with those of the silences as text: instance="web-1" does not find a silence of instance=~"web.*", --for-alert and --matching do. --with-counts adds the field alertCount to each silence.',
  effect: 'read',
  service: 'alerts',
  args: { matcher: { help: 'Only silences that have all of these very matchers', repeat: true } },
  flags: {
    ...STATE_FLAGS,
    ...SELECTION_FLAGS,
    'with-counts': { type: 'boolean', help: 'Count the alerts that each mutes now' },
    limit: { type: 'integer', value: 'n', min: 0, help: 'At most so many' },
  },
  examples: [
    { run: 'svc silences list', why: 'What is muted now' },
    { run: 'svc silences list --created-by me --within 3d', why: 'Mine, about to end' },
    { run: 'svc silences list --for-alert 1a58c20e', why: 'What mutes this alert' },
    { run: 'svc silences list --matching alertname=NodeDown --matching team=db', why: 'What would mute such an alert' },
    { run: 'svc silences list --expired --within 2h --comment "~CHG-[0-9]+"', why: 'Ended lately, by change number' },
  ],
  output: SILENCE_LIST,
  outputOf: ({ withCounts }): AnyOutput => (withCounts ? COUNTED_LIST : SILENCE_LIST),
  offers: silenceCandidates,
  async run(input, ctx) {
    const { openAlertmanager } = await import('../../alerts/api.ts');
    const { countsBySilence, selectsByState, silenceTest } = await import('../selection.ts');
    const selection = { ...selectionOf(input, ctx), ...statesOf(input) };
    const filter = await silenceFilter(input.matcher, ctx);
    const alertmanager = openAlertmanager(ctx.target);
    if (ctx.wants.rawJson && selection.states === undefined && selectsByState(selection) && !input.withCounts) {
      return { value: new RawJson(await alertmanager.silencesRaw(filter)) };
    }
    const wanted = await silenceTest(selection, alertmanager, ctx.now());
    const silences = filterAsync(alertmanager.silences(filter), wanted);
    if (!input.withCounts) return { value: silences };
    return { value: counted(silences, await countsBySilence(alertmanager)), as: COUNTED_LIST };
  },
});

async function* counted(
  silences: AsyncIterable<Silence>,
  counts: ReadonlyMap<string, number>,
): AsyncGenerator<CountedSilence> {
  for await (const silence of silences) yield { ...silence, alertCount: counts.get(silence.id) ?? 0 };
}
