/** Probe results in the XML that CI servers read. */
import type { ProbeResult } from './receiver-check.ts';

const CLASS = 'svc.webhooks.check-receiver';

/** `receiver` is its address, `startedMs` milliseconds since 1970. */
export function junitReport(results: readonly ProbeResult[], receiver: string, startedMs: number): string {
  const count = (verdict: ProbeResult['verdict']): number => results.filter((one) => one.verdict === verdict).length;
  const suite = attributes({
    name: `check-receiver ${receiver}`,
    tests: results.length,
    failures: count('fail'),
    errors: 0,
    skipped: count('skipped') + count('not_testable'),
    time: seconds(results.reduce((sum, { ms }) => sum + (ms ?? 0), 0)),
    timestamp: new Date(startedMs).toISOString().replace(/\.\d+Z$/, 'Z'),
  });
  const cases = results.map(testCase).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite${suite}>\n${cases}  </testsuite>\n</testsuites>\n`;
}

function testCase(result: ProbeResult): string {
  const { probe, expected, got, ms, verdict, rule, fix } = result;
  const head = `    <testcase${attributes({ name: probe, classname: CLASS, time: seconds(ms ?? 0) })}`;
  if (verdict === 'pass') return `${head}/>\n`;
  const inner =
    verdict === 'fail'
      ? `<failure${attributes({ message: `expected ${expected}, got ${got}`, type: probe })}>${explanation(result)}</failure>`
      : `<skipped${attributes({ message: verdict === 'skipped' ? got : `not testable: ${rule}; ${fix}` })}/>`;
  return `${head}>\n      ${inner}\n    </testcase>\n`;
}

function explanation({ sent, expected, got, rule, fix, answer }: ProbeResult): string {
  const lines = [`sent: ${sent}`, `expected: ${expected}`, `got: ${got}`, `rule: ${rule}`, `fix: ${fix}`];
  if (answer !== '') lines.push(`response: ${answer}`);
  return lines.map(xmlText).join('\n');
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

/** Text that may stand in an element or in an attribute. XML has no way to write most controls, nor half a surrogate pair. */
export function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')
    .replace(/[\t\n\r\x7f-\x9f]/g, (control) => `&#${control.charCodeAt(0)};`);
}
