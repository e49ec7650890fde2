import { listCommand } from '../../../cli/command.ts';
import { FINDING_LIST, findingCounts } from '../../../cli/findings.ts';
import { recordingsFindings } from '../checks.ts';

export const webhooksDoctor = listCommand({
  id: 'webhooks doctor',
  summary: 'Look for what keeps events from arriving, and say what to do',
  description:
    'A line for each check: the sign-in, the files of svc and their modes, the service and its clock, the quota, and of each subscription its state, events, address, kept secret and latest deliveries. Secrets that are kept for subscriptions which are gone are named, and --fix forgets them once you agree. Exit 1 where something is bad; what is worth a look may be meant so. What a receiver does with deliveries check-receiver finds out.\nJSON: check, about, verdict (ok, warn, bad), detail, mend (the command that mends it, or null). -q prints what is not ok.',
  effect: 'write',
  service: 'webhooks',
  args: { id: { help: 'Only this subscription, or those checks that are of none', complete: 'subscriptions' } },
  flags: { fix: { type: 'boolean', help: 'Forget the kept secrets of subscriptions that are gone' } },
  exits: ['condition_false'],
  examples: [
    { run: 'svc webhooks doctor', why: 'When no events come' },
    { run: 'svc webhooks doctor --fix --dry-run', why: 'See which kept secrets would be forgotten' },
  ],
  output: FINDING_LIST,
  async run(input, ctx) {
    const findings = await recordingsFindings(input, ctx);
    const counts = findingCounts(findings);
    return {
      value: findings,
      footer: input.fix && ctx.dryRun ? `${counts}; nothing was changed` : counts,
      code: findings.some(({ verdict }) => verdict === 'bad') ? 'condition_false' : undefined,
    };
  },
});
