import { listCommand } from '../../../cli/command.ts';
import { FINDING_LIST, findingCounts } from '../../../cli/findings.ts';
import { recordingsFindings } from '../checks.ts';

export const webhooksDoctor = listCommand({
  id: 'webhooks doctor',
  summary: 'Check why events do not arrive',
  description:
    'Checks the sign-in, the service and its clock, the quota, and of each subscription its status, events, URL, stored secret and latest deliveries. Exit 1 if a check fails. svc webhooks check-receiver tests the receiver itself.',
  details:
    'JSON: check, subject, status (ok, warn, fail), detail, fix (a command, or null). -q prints the checks that are not ok. A stored secret without a subscription is a warning.',
  effect: 'read',
  service: 'webhooks',
  args: { id: { help: 'Check only this subscription, besides the general checks' } },
  exits: ['condition_false'],
  examples: [
    { run: 'svc webhooks doctor', why: 'When no events arrive' },
    { run: 'svc webhooks doctor ep_1', why: 'One subscription' },
  ],
  output: FINDING_LIST,
  async run({ id }, ctx) {
    const findings = await recordingsFindings(id, ctx);
    return {
      value: findings,
      footer: findingCounts(findings),
      code: findings.some(({ status }) => status === 'fail') ? 'condition_false' : undefined,
    };
  },
});
