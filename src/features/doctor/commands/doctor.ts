import { listCommand } from '../../../cli/command.ts';
import { FINDING_LIST, type Finding, findingCounts } from '../../../cli/findings.ts';

const SERVICES = ['alerts', 'webhooks', 'catalog', 'trade'] as const;

export const doctor = listCommand({
  id: 'doctor',
  summary: 'Look for what keeps svc from working, and say what to do',
  description:
    'A line for each check: the settings, the files of svc and who may read them, Node.js, and of each service its address, the credential, the proxy, DNS, TCP, TLS and its certificate, the answer to one cheap read, and the clock; of the trading gateway every step of connecting. The services are looked at side by side. A service without an address is skipped, unless it is named. Nothing is changed. Exit 1 where something is bad; svc webhooks doctor goes on with the subscriptions.\nJSON: check, about, verdict (ok, warn, bad, skipped), detail, mend (what mends it, mostly a command, or null). -q prints what is not ok.',
  effect: 'read',
  repairsSettings: true,
  args: { service: { help: 'Only these, beside what is of none', repeat: true, choices: SERVICES } },
  flags: {
    offline: { type: 'boolean', help: 'Look at this machine alone' },
    timeout: { type: 'duration', default: '5s', positive: true, help: 'Longest time for one service' },
  },
  exits: ['condition_false'],
  examples: [
    { run: 'svc doctor', why: 'When something does not work' },
    { run: 'svc doctor trade', why: 'Which step of connecting to the gateway fails' },
    { run: 'svc doctor alerts -q', why: 'In a script: only what is not well, and exit 1 where it is bad' },
  ],
  output: FINDING_LIST,
  async run({ service, offline, timeout }, ctx) {
    const { localFindings } = await import('../local-findings.ts');
    const { serviceFindings } = await import('../service-findings.ts');
    const chosen = service.length === 0 ? SERVICES : SERVICES.filter((name) => service.includes(name));
    const look = { named: service.length > 0, offline, timeoutMs: timeout };
    const found: Finding[] = [];
    async function* examine(): AsyncGenerator<Finding, void, void> {
      // Side by side, and told one after the other.
      const services = chosen.map((name) => collected(serviceFindings(name, look, ctx)));
      for (const one of services) one.catch(() => {}); // told where it is awaited
      yield* await localFindings(ctx);
      for (const one of services) yield* await one;
    }
    async function* told(): AsyncGenerator<Finding, void, void> {
      for await (const finding of examine()) {
        found.push(finding);
        yield finding;
      }
    }
    return {
      value: told(),
      footer: () => findingCounts(found),
      code: () => (found.some(({ verdict }) => verdict === 'bad') ? 'condition_false' : undefined),
    };
  },
});

async function collected(findings: AsyncIterable<Finding>): Promise<readonly Finding[]> {
  const all: Finding[] = [];
  for await (const finding of findings) all.push(finding);
  return all;
}
