import { listCommand } from '../../../cli/command.ts';
import { FINDING_LIST, type Finding, findingCounts } from '../../../cli/findings.ts';
import { SERVICES } from '../../../store/profile-environment.ts';

export const doctor = listCommand({
  id: 'doctor',
  summary: 'Check the configuration and each service',
  description:
    'Checks the settings, the files of svc and their modes, and each configured service. It changes nothing. Exits 1 if a check fails. -q prints only the names of failed checks.',
  details:
    'For each service: its address, its credential, the response to one cheap request, and its clock; for the trading gateway, every step of connecting, the accounts of the token, and whether forex is traded now. svc skips a service without an address, unless you name it. svc webhooks doctor also checks the subscriptions.\nJSON: check, subject, status (ok, warn, fail, skipped), detail, fix (usually a command, or null).',
  effect: 'read',
  repairsSettings: true,
  args: { service: { help: 'Check only these services, and this machine', repeat: true, choices: SERVICES } },
  flags: {
    offline: { type: 'boolean', help: 'Check this machine only' },
    timeout: { type: 'duration', default: '5s', positive: true, help: 'Timeout per request' },
  },
  exits: ['condition_false'],
  examples: [
    { run: 'svc doctor', why: 'Check everything' },
    { run: 'svc doctor trade', why: 'Check the token, the accounts and the market hours' },
    { run: 'svc doctor alerts -q', why: 'In a script: print the failed checks, exit 1 if there are any' },
  ],
  output: FINDING_LIST,
  async run({ service, offline, timeout }, ctx) {
    const { localFindings } = await import('../local-findings.ts');
    const { serviceFindings } = await import('../service-findings.ts');
    const chosen = service.length === 0 ? SERVICES : SERVICES.filter((name) => service.includes(name));
    const options = { named: service.length > 0, offline, timeoutMs: timeout };
    const found: Finding[] = [];
    async function* examine(): AsyncGenerator<Finding, void, void> {
      // Run in parallel, and printed one after the other.
      const checks = [localFindings(ctx), ...chosen.map((name) => serviceFindings(name, options, ctx))];
      for (const check of checks) check.catch(() => {}); // thrown where it is awaited
      for (const check of checks) {
        const findings = await check;
        found.push(...findings);
        yield* findings;
      }
    }
    return {
      value: examine(),
      footer: () => findingCounts(found),
      code: () => (found.some(({ status }) => status === 'fail') ? 'condition_false' : undefined),
    };
  },
});
