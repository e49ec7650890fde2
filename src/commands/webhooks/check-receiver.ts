import { listCommand } from '../../cli/command.ts';
import { RECEIVER_FLAGS } from '../../inputs/receiver-flags.ts';
import { requireSecret, SECRET_FLAGS } from '../../inputs/signing-secrets.ts';
import type { Tone } from '../../output/types.ts';
import { PROBE_NAMES } from '../../services/recordings/probe-names.ts';
import type { ProbeResult } from '../../services/recordings/receiver-check.ts';

const TONES: Readonly<Record<ProbeResult['verdict'], Tone>> = { pass: 'good', fail: 'bad', skipped: 'dim' };

export const webhooksCheckReceiver = listCommand({
  id: 'webhooks check-receiver',
  summary: 'Probe a receiver with good and bad deliveries',
  description:
    'Posts fourteen signed probes, one after the other, with events that are made up: what the service may send must be answered with a 2xx within 5 s (a ping, a summary, types and fields that nobody knows yet, the same event twice, 2 MiB), what it never sends with a 4xx (a bad or no signature, no timestamp, one that is an hour off in either direction, a "." that is signed at another place). A body that is no UTF-8 may be refused, but must not break the receiver, and nothing may be answered by a redirect. A receiver that does something about an event does it for these, too: each has an id of its own. Exit 1 where a probe fails, 7 where the receiver cannot be reached. Fields in JSON: probe, expected, got, statuses, ms, verdict (pass, fail, skipped), answer.',
  effect: 'write',
  args: { url: { help: 'Where the receiver is; quote an address that holds "&"', required: true } },
  flags: {
    only: {
      type: 'choice',
      choices: PROBE_NAMES,
      repeat: true,
      value: 'probe',
      help: 'Only this probe',
    },
    junit: { type: 'string', value: 'file', complete: 'files', help: 'Write a report in JUnit form, for CI' },
    insecure: RECEIVER_FLAGS.insecure,
    ...SECRET_FLAGS,
  },
  exits: ['condition_false', 'connect_failed'],
  examples: [
    { run: 'svc webhooks check-receiver http://127.0.0.1:3000/hook --secret-file key.txt', why: 'All probes' },
    {
      run: 'svc webhooks check-receiver http://127.0.0.1:3000/hook --only bad-signature --only stale-timestamp',
      why: 'Two of them, signed with the secret of $SVC_WEBHOOK_SECRET',
    },
    { run: 'svc webhooks check-receiver http://127.0.0.1:3000/hook --junit report.xml', why: 'In CI' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'probe', cell: ({ probe }: ProbeResult) => probe },
      { name: 'expected', cell: ({ expected }) => expected, flex: true },
      { name: 'got', cell: ({ got }) => got, flex: true },
      { name: 'verdict', cell: ({ verdict }) => ({ text: verdict, tone: TONES[verdict] }) },
      { name: 'ms', cell: ({ ms }) => ms, align: 'right' },
    ],
    id: ({ probe }) => probe,
  },
  async run(input, ctx) {
    const { checkReceiver, unsent } = await import('../../services/recordings/receiver-check.ts');
    const { RECEIVER_MS } = await import('../../services/recordings/sending.ts');
    const { addressWarnings, receiverAddress } = await import('../../services/recordings/sending-address.ts');
    const url = receiverAddress(input.url);
    const outbound = ctx.outbound(input);
    const { now, random } = ctx;
    const kit = { key: requireSecret(input, ctx).key.reveal(), userAgent: outbound.userAgent, now, random };
    for (const warning of addressWarnings(url, input)) ctx.notice(`warning: ${warning}`);
    const report = input.junit === undefined || ctx.dryRun ? undefined : await reporter(input.junit, url, now());
    report?.(unsent(input.only)); // a file that cannot be written is told of before anything is sent
    const results: ProbeResult[] = [];
    const progress = ctx.progress(new Set(input.only).size || PROBE_NAMES.length);
    try {
      for await (const result of checkReceiver({ url, only: input.only, deadlineMs: RECEIVER_MS, kit }, outbound)) {
        results.push(result);
        progress.step();
      }
    } finally {
      progress.clear();
    }
    report?.(results);
    const passed = results.filter(({ verdict }) => verdict === 'pass').length;
    return {
      value: results,
      footer: `${passed} of ${results.length} probes passed`,
      code: passed === results.length ? undefined : 'condition_false',
    };
  },
});

/** Writes a report as a whole, in place of the one before. */
async function reporter(path: string, url: URL, startedMs: number): Promise<(results: readonly ProbeResult[]) => void> {
  const { junitReport } = await import('../../services/recordings/junit.ts');
  const { realTarget, writeAtomic } = await import('../../store/atomic-write.ts');
  const file = realTarget(path);
  return (results) => writeAtomic(file, junitReport(results, url.origin + url.pathname, startedMs));
}
