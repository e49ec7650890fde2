import { listCommand } from '../../../cli/command.ts';
import type { AnyOutput, ListOutput } from '../../../output/types.ts';
import { openAlertmanager } from '../../alerts/api.ts';
import type { Silence } from '../../alerts/schema.ts';
import { SILENCE_COLUMNS, silenceCandidates } from '../columns.ts';
import {
  countsBySilence,
  noneText,
  SELECTION_FLAGS,
  STATE_FLAGS,
  selectedSilences,
  selectionOf,
  silenceFilter,
  UNUSED_DETAILS,
} from '../selection.ts';

const SILENCE_LIST: ListOutput<Silence> = {
  kind: 'list',
  columns: SILENCE_COLUMNS,
  id: ({ id }) => id,
};

interface CountedSilence extends Silence {
  readonly alertCount: number;
}

const COUNTED_LIST: ListOutput<CountedSilence> = {
  ...SILENCE_LIST,
  columns: [
    ...SILENCE_COLUMNS.slice(0, 3),
    { name: 'alerts', cell: ({ alertCount }) => alertCount, align: 'right' },
    ...SILENCE_COLUMNS.slice(3),
  ],
  id: ({ id }) => id,
};

export const silencesList = listCommand({
  id: 'silences list',
  summary: 'List silences (active and pending by default)',
  description:
    'Matchers are compared as text: instance="web-1" does not find a silence with instance=~"web.*". Use --for-alert or --matching to find what mutes an alert. --with-counts adds the field alertCount to each silence.',
  details: `Alertmanager does not record when a silence was created: --created-since takes its start, or its last change if that is earlier. A silence that begins later and was changed since is listed too. ${UNUSED_DETAILS}`,
  effect: 'read',
  service: 'alerts',
  clusters: {},
  args: { matcher: { help: 'Only silences with exactly these matchers', repeat: true } },
  flags: {
    ...STATE_FLAGS,
    ...SELECTION_FLAGS,
    'with-counts': { type: 'boolean', help: 'Count the alerts that each silence mutes now' },
    limit: { type: 'integer', min: 0, help: 'Maximum number of results' },
  },
  examples: [
    { run: 'svc silences list --author me --within 3d', why: 'My silences that end within three days' },
    { run: 'svc silences list -a --created-since "yesterday 18:00"', why: 'What was silenced overnight' },
    { run: 'svc silences list --matching alertname=NodeDown --matching team=db', why: 'What would mute such an alert' },
    {
      run: 'svc silences list --expired --within 2h --comment "~CHG-[0-9]+"',
      why: 'Recently expired, by change number',
    },
  ],
  output: SILENCE_LIST,
  outputOf: ({ withCounts }): AnyOutput => (withCounts ? COUNTED_LIST : SILENCE_LIST),
  offers: silenceCandidates,
  async run(input, ctx) {
    const selection = selectionOf(input);
    const filter = silenceFilter(input.matcher, ctx);
    const alertmanager = openAlertmanager(ctx.target);
    const silences = await selectedSilences(selection, filter, alertmanager, ctx);
    const empty = noneText(selection);
    if (!input.withCounts) return { value: silences, as: { ...SILENCE_LIST, empty } };
    return { value: counted(silences, await countsBySilence(alertmanager)), as: { ...COUNTED_LIST, empty } };
  },
});

async function* counted(
  silences: AsyncIterable<Silence>,
  counts: ReadonlyMap<string, number>,
): AsyncGenerator<CountedSilence> {
  for await (const silence of silences) yield { ...silence, alertCount: counts.get(silence.id) ?? 0 };
}
