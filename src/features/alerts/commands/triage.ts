import { type RunContext, textCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { isDumb } from '../../../output/terminal.ts';
import { openAlertmanager } from '../api.ts';
import { alertFilter, SELECTION_FLAGS } from '../selection.ts';
import { TriageSession } from '../triage/session.ts';

const SHORTEST_MS = 1000;

export const alertsTriage = textCommand({
  id: 'alerts triage',
  summary: 'Work through alerts on a live full screen',
  description:
    'Lists alerts in every state, worst first. Space marks alerts. Keys acknowledge, silence or expire the marked or the selected ones; each runs the command line that it shows, with the checks and questions of that command. ? shows the keys, q quits.',
  details:
    'Unsuppressed alerts come first, then by severity, then the newest. Up, Down, j, k, PgUp, PgDn, Home and End move. Space marks an alert or removes its mark, * does so for all that are listed. In the list, a, s and e act on all that are marked, with one command, or on the selected alert if none is. A success removes the marks. Enter shows an alert: what mutes it, its links, annotations and labels; there, a, s and e act on this one. a runs svc silences ack; s runs svc silences create, with the labels that the alerts share as matchers, which you can edit, and a preview of what they mute; e runs svc silences expire for the silences that mute them. o opens the runbook or the graph of the selected alert. / filters by text; marked alerts stay marked when they are not listed. Esc removes the marks, then the filter. Ctrl-Z suspends svc. A command whose outcome is unknown is shown as such and is not sent again. When the screen closes, svc prints the command lines that it ran, their outcomes and what they printed, such as how to undo them. While the server is unreachable, the screen shows the reason and the age of the alerts.',
  effect: 'read',
  service: 'alerts',
  streams: () => true,
  args: { matcher: { help: 'Only alerts that match all of these', repeat: true } },
  flags: {
    receiver: SELECTION_FLAGS.receiver,
    interval: { type: 'duration', positive: true, default: '5s', help: 'How often to read the alerts' },
  },
  examples: [
    { run: 'svc alerts triage', why: 'See all alerts, worst first' },
    { run: 'svc alerts triage team=db', why: 'The alerts of one team' },
  ],
  output: { kind: 'text' },
  async run({ matcher, receiver, interval }, ctx) {
    checkTerminal(ctx);
    if (interval < SHORTEST_MS) throw new SvcError('invalid_value', '--interval: at least 1s');
    const { filter } = alertFilter({ matcher, receiver }, ctx);
    const alertmanager = openAlertmanager(ctx.target);
    const session = new TriageSession(alertmanager, ctx, { filter, intervalMs: interval });
    return {
      value: session.frames(),
      as: { kind: 'screen' },
      async end() {
        session.report();
        await alertmanager.close();
      },
    };
  },
});

function checkTerminal({ interactive, wants, env }: RunContext): void {
  const instead = { hint: 'svc alerts list --watch follows alerts anywhere' };
  if (!interactive || !wants.terminal) throw new SvcError('usage', 'a full screen needs a terminal', instead);
  if (isDumb(env)) throw new SvcError('usage', 'a full screen needs a terminal that is not dumb (TERM)', instead);
  if (!wants.table) throw new SvcError('usage', 'a full screen has no output format', instead);
}
