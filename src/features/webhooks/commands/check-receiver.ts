import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Outbound } from '../../../http/target.ts';
import type { Cell, ListOutput, Tone } from '../../../output/types.ts';
import { addressWarnings, RECEIVER_FLAGS, receiverAddress } from '../options.ts';
import { PROBE_NAMES } from '../probes/probes.ts';
import { checkReceiver, type ProbeResult, planCheck, type ReceiverCheck } from '../probes/receiver-check.ts';
import { requireSecret, SECRET_FLAGS } from '../signing-secrets.ts';

const TONES: Readonly<Record<ProbeResult['status'], Tone>> = {
  pass: 'good',
  fail: 'bad',
  skipped: 'dim',
};
/** While the receiver is not there yet. */
const RETRY_MS = 200;
/** Characters of a response's body. */
const SHOWN = 80;

const RESULTS: ListOutput<ProbeResult> = {
  kind: 'list',
  columns: [
    { name: 'probe', cell: ({ probe }) => probe },
    { name: 'status', cell: ({ status }) => ({ text: status, tone: TONES[status] }) },
    { name: 'expected', cell: ({ expected }) => expected },
    { name: 'got', cell: ({ got }) => got, shrinks: true },
    { name: 'ms', cell: ({ ms }) => ms, align: 'right' },
    { name: 'sent', cell: ({ sent }) => sent, shrinks: true },
    { name: 'fix', cell: ({ fix }) => fix, shrinks: true },
  ],
  id: ({ probe, status }) => (status === 'fail' ? probe : undefined),
};
/** A line for each probe that fails. */
const FAILURES: ListOutput<ProbeResult> = { ...RESULTS, live: failureCells };

function failureCells({ probe, got, sent, fix, http_status: status, answer }: ProbeResult): readonly Cell[] {
  const text = answer.replace(/\s+/g, ' ').trim();
  const hasText = (status ?? 0) >= 400 && text !== '' && !text.startsWith('<');
  const quoted = hasText ? `: ${JSON.stringify(text.slice(0, SHOWN))}` : '';
  const detail = status === null ? `${sent}: ${got}` : `${got} to ${sent}${quoted}`;
  return [{ text: 'fail', tone: TONES.fail }, probe, detail, { text: `→ ${fix}`, tone: 'strong' }];
}

export const webhooksCheckReceiver = listCommand({
  id: 'webhooks check-receiver',
  summary: 'Test a receiver with valid and invalid deliveries',
  description:
    'Sends signed test events one after the other. The receiver must accept what the service may send with a 2xx within 5 s, and refuse anything else with a 4xx. Prints a line with the fix for each probe that fails, or the one reason why every delivery fails; -o wide lists all probes. Exit 1 if a probe fails, 7 if the receiver cannot be reached.',
  details:
    'A receiver processes these events like any others; each has its own id. A valid and a forged delivery come before all probes, with --only, too: a receiver that refuses everything passes none. JSON: probe, status (pass, fail, skipped), expected, got, http_status, ms, sent, fix, answer.',
  effect: 'write',
  args: { url: { help: 'URL of the receiver; quote it if it contains "&"', required: true } },
  flags: {
    only: { type: 'choice', choices: PROBE_NAMES, repeat: true, value: 'probe', help: 'Run only this probe' },
    wait: { type: 'duration', help: 'Wait until the receiver can be reached' },
    insecure: { ...RECEIVER_FLAGS.insecure, group: 'Options' },
    ...SECRET_FLAGS,
  },
  exits: ['condition_false', 'connect_failed'],
  examples: [
    { run: 'svc webhooks check-receiver http://127.0.0.1:3000/hook --secret-file key.txt', why: 'All probes' },
    {
      run: 'svc webhooks check-receiver http://127.0.0.1:3000/hook --only bad-signature --only stale-timestamp',
      why: 'Two probes, with the secret in $SVC_WEBHOOK_SECRET',
    },
    { run: 'svc webhooks check-receiver http://127.0.0.1:3000/hook --wait 30s', why: 'In CI' },
  ],
  output: RESULTS,
  async run(input, ctx) {
    const url = receiverAddress(input.url);
    const outbound = ctx.outbound(input);
    const { now, random } = ctx;
    const kit = { key: (await requireSecret(input, ctx)).key.reveal(), userAgent: outbound.userAgent, now, random };
    for (const warning of addressWarnings(url, input)) ctx.notice(`warning: ${warning}`);
    const check = { url, only: input.only, kit };
    if (ctx.dryRun) return { value: planCheck(check) };
    const results = await runProbes(check, outbound, now() + (input.wait ?? 0), ctx);
    const count = (wanted: ProbeResult['status']): number => results.filter(({ status }) => status === wanted).length;
    const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} not sent`;
    const isBrief = ctx.wants.table && !ctx.wants.wide && !ctx.wants.fields;
    return {
      value: isBrief ? results.filter(({ status }) => status === 'fail') : results,
      as: isBrief ? FAILURES : RESULTS,
      footer: `${count('pass')} of ${results.length} probes passed${skipped}`,
      code: count('pass') === results.length ? undefined : 'condition_false',
    };
  },
});

async function runProbes(
  check: ReceiverCheck,
  outbound: Outbound,
  waitUntil: number,
  ctx: RunContext,
): Promise<readonly ProbeResult[]> {
  const results: ProbeResult[] = [];
  for await (const result of checkOnceReachable(check, outbound, waitUntil, ctx)) {
    // A receiver may respond with the secret.
    results.push({ ...result, answer: ctx.secrets.hide(result.answer) });
  }
  return results;
}

/** Tries until then whether the receiver is there. Nothing was sent to one that is not. */
async function* checkOnceReachable(
  check: ReceiverCheck,
  outbound: Outbound,
  waitUntil: number,
  { now, sleep }: Pick<RunContext, 'now' | 'sleep'>,
): AsyncGenerator<ProbeResult> {
  for (;;) {
    try {
      yield* checkReceiver(check, outbound);
      return;
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'connect_failed' || now() >= waitUntil) throw error;
      await sleep(RETRY_MS);
    }
  }
}
