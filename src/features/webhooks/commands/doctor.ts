import { listCommand } from '../../../cli/command.ts';
import { FINDING_LIST, findingCounts } from '../../../cli/findings.ts';
import { recordingsFindings } from '../checks.ts';

export const webhooksDoctor = listCommand({
  id: 'webhooks doctor',
  summary: 'Check why events do not arrive',
  description:
    'Checks the sign-in, the files of svc, the service and its clock, the quota, and for each subscription its state, events, address, stored secret and latest deliveries. --fix deletes the stored secrets of subscriptions that no longer exist, after you confirm. Exits 1 if a check fails.',
  details:
    'A warning may be intended. To test what a receiver does with deliveries, use svc webhooks check-receiver.\nJSON: check, subject, status (ok, warn, fail), detail, fix (a command, or null). -q prints only what is not ok.',
  effect: 'write',
  service: 'webhooks',
  args: { id: { help: 'Check only this subscription', complete: 'subscriptions' } },
  flags: { fix: { type: 'boolean', help: 'Delete stored secrets of subscriptions that no longer exist' } },
  exits: ['condition_false'],
  examples: [
    { run: 'svc webhooks doctor', why: 'Find out why no events arrive' },
    { run: 'svc webhooks doctor --fix --dry-run', why: 'List the stored secrets that --fix would delete' },
  ],
  output: FINDING_LIST,
  async run(input, ctx) {
    const findings = await recordingsFindings(input, ctx);
    const counts = findingCounts(findings);
    return {
      value: findings,
      footer: input.fix && ctx.dryRun ? `${counts}; nothing was changed` : counts,
      code: findings.some(({ status }) => status === 'fail') ? 'condition_false' : undefined,
    };
  },
});
