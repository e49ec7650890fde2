import { listCommand, type RunContext } from '../../../cli/command.ts';
import { FILE } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import type { Cell, ListOutput, Tone } from '../../../output/types.ts';
import { realTarget, writeAtomic } from '../../../store/atomic-write.ts';
import { isPipeOrDevice, writeToPipe } from '../../../store/named-files.ts';
import { addressWarnings, RECEIVER_FLAGS, receiverAddress } from '../options.ts';
import { PROBE_NAMES } from '../probes/probes.ts';
import { checkReceiver, type ProbeResult, planCheck, unsent } from '../probes/receiver-check.ts';
import { RECEIVER_MS } from '../sending/sending.ts';
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
    { name: 'got', cell: ({ got }) => got, flex: true },
    { name: 'ms', cell: ({ ms }) => ms, align: 'right' },
    { name: 'sent', cell: ({ sent }) => sent, flex: true },
    { name: 'fix', cell: ({ fix }) => fix, flex: true },
  ],
  id: ({ probe, status }) => (status === 'fail' ? probe : undefined),
};
/** A line for each obligation that is not met. */
const FAILURES: ListOutput<ProbeResult> = { ...RESULTS, live: failureCells };

function failureCells({ probe, got, sent, fix, http_status: status, answer }: ProbeResult): readonly Cell[] {
  const text = answer.replace(/\s+/g, ' ').trim();
  const hasText = (status ?? 0) >= 400 && text !== '' && !text.startsWith('<');
  const quoted = hasText ? `: ${JSON.stringify(text.slice(0, SHOWN))}` : '';
  const detail = status === null ? `${sent}: ${got}` : `${got} to ${sent}${quoted}`;
  return [{ text: 'fail', tone: TONES.fail }, probe, detail, { text: `→ ${fix}`, tone: 'strong' }];
}

/** The first failure of each fix, with the names of all. */
function groupFailures(results: readonly ProbeResult[]): readonly ProbeResult[] {
  const groups = new Map<string | null, ProbeResult>();
  for (const result of results.filter(({ status }) => status === 'fail')) {
    const first = groups.get(result.fix);
    groups.set(result.fix, first === undefined ? result : { ...first, probe: `${first.probe}, ${result.probe}` });
  }
  return [...groups.values()];
}

export const webhooksCheckReceiver = listCommand({
  id: 'webhooks check-receiver',
  summary: 'Test a receiver with valid and invalid deliveries',
  description:
    'Sends signed test events one after the other. The receiver must accept what the service may send with a 2xx within 5 s, and refuse anything else with a 4xx. Prints a line with the fix for each rule that it breaks, or the one reason why every delivery fails; -o wide lists all probes. Exit 1 if a probe fails, 7 if the receiver cannot be reached.',
  details:
    'A receiver processes these events like any others; each has its own id. A valid and a forged delivery come before all probes, with --only, too: a receiver that refuses everything passes none. JSON: probe, status (pass, fail, skipped), expected, got, http_status, ms, sent, fix, answer.',
  effect: 'write',
  args: { url: { help: 'URL of the receiver; quote it if it contains "&"', required: true } },
  flags: {
    only: { type: 'choice', choices: PROBE_NAMES, repeat: true, value: 'probe', help: 'Run only this probe' },
    junit: { ...FILE, help: 'Write a JUnit report' },
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
    { run: 'svc webhooks check-receiver http://127.0.0.1:3000/hook --wait 30s --junit report.xml', why: 'In CI' },
  ],
  output: RESULTS,
  async run(input, ctx) {
    const url = receiverAddress(input.url);
    const outbound = ctx.outbound(input);
    const { now, random } = ctx;
    const kit = { key: (await requireSecret(input, ctx)).key.reveal(), userAgent: outbound.userAgent, now, random };
    for (const warning of addressWarnings(url, input)) ctx.notice(`warning: ${warning}`);
    if (ctx.dryRun) return { value: planCheck({ url, only: input.only, kit }) };
    const report = input.junit === undefined ? undefined : await reporter(input.junit, url, unsent(input.only), ctx);
    const results: ProbeResult[] = [];
    const waitUntil = now() + (input.wait ?? 0);
    const probe = async (): Promise<void> => {
      try {
        for await (const result of checkReceiver({ url, only: input.only, deadlineMs: RECEIVER_MS, kit }, outbound)) {
          // A receiver may respond with the secret.
          results.push({ ...result, answer: ctx.secrets.hide(result.answer) });
        }
      } catch (error) {
        if (!(error instanceof SvcError) || error.code !== 'connect_failed' || now() >= waitUntil) throw error;
        await ctx.sleep(RETRY_MS);
        await probe();
      }
    };
    await probe();
    await report?.(results);
    const count = (wanted: ProbeResult['status']): number => results.filter(({ status }) => status === wanted).length;
    const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} not sent`;
    const isGrouped = ctx.wants.table && !ctx.wants.wide && !ctx.wants.fields;
    return {
      value: isGrouped ? groupFailures(results) : results,
      as: isGrouped ? FAILURES : RESULTS,
      footer: `${count('pass')} of ${results.length} probes passed${skipped}`,
      code: count('pass') === results.length ? undefined : 'condition_false',
    };
  },
});

/**
 * Replaces the previous report completely; writes directly to a pipe or a device. `first` stays in the file if the run does not end, and tests that the file
 * can be written before anything is sent.
 */
async function reporter(
  path: string,
  url: URL,
  first: readonly ProbeResult[],
  { now, signal }: Pick<RunContext, 'now' | 'signal'>,
): Promise<(results: readonly ProbeResult[]) => Promise<void>> {
  const startedMs = now();
  const report = (results: readonly ProbeResult[]): string =>
    junitReport(results, url.origin + url.pathname, startedMs);
  if (isPipeOrDevice(path)) return (results) => writeToPipe(path, report(results), signal);
  const file = realTarget(path);
  writeAtomic(file, report(first));
  return async (results) => writeAtomic(file, report(results));
}

const CLASS = 'svc.webhooks.check-receiver';

/** `receiver` is its address, `startedMs` milliseconds since 1970. */
function junitReport(results: readonly ProbeResult[], receiver: string, startedMs: number): string {
  const count = (status: ProbeResult['status']): number => results.filter((one) => one.status === status).length;
  const suite = attributes({
    name: `check-receiver ${receiver}`,
    tests: results.length,
    failures: count('fail'),
    errors: 0,
    skipped: count('skipped'),
    time: seconds(results.reduce((sum, { ms }) => sum + (ms ?? 0), 0)),
    timestamp: new Date(startedMs).toISOString().replace(/\.\d+Z$/, 'Z'),
  });
  const cases = results.map(testCase).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite${suite}>\n${cases}  </testsuite>\n</testsuites>\n`;
}

function testCase(result: ProbeResult): string {
  const { probe, expected, got, ms, status, sent, fix, answer } = result;
  const head = `    <testcase${attributes({ name: probe, classname: CLASS, time: seconds(ms ?? 0) })}`;
  if (status === 'pass') return `${head}/>\n`;
  if (status === 'skipped') return `${head}>\n      <skipped${attributes({ message: got })}/>\n    </testcase>\n`;
  const failure = attributes({ message: `expected ${expected}, got ${got}`, type: probe });
  const text = [`${got} to ${sent}`, `fix: ${fix}`, `response: ${answer}`].map(xmlText).join('\n');
  return `${head}>\n      <failure${failure}>${text}</failure>\n    </testcase>\n`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xmlText(String(value))}"`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text for an element or an attribute. XML cannot represent most controls, nor half a surrogate pair. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')
    .replace(/[\t\n\r\x7f-\x9f]/g, (control) => `&#${control.charCodeAt(0)};`);
}
