/** Label sets, and the matchers that select them, as version 0.25 parses them. Shares no code with svc's own parser. */
import { createHash } from 'node:crypto';
import { RE2JS, RE2JSException } from 're2js';
import { Refusal } from '../http.ts';

export type LabelSet = Readonly<Record<string, string>>;

/** An error of the service itself: a JSON text. */
export function refuse(status: number, message: string): Refusal {
  return new Refusal(status, message);
}

/** The same text for the same labels in any order. Label sets are sorted by it. */
export function canonical(labels: LabelSet): string {
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([entries.length, ...entries]);
}

export function fingerprint(labels: LabelSet): string {
  return createHash('sha256').update(canonical(labels)).digest('hex').slice(0, 16);
}

export interface Matcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

export type Match = (labels: LabelSet) => boolean;

const FORM = /^\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(=~|=|!=|!~)\s*([\s\S]*?)\s*$/;

export function parseMatcher(text: string): Matcher {
  const [, name = '', operator, raw = ''] = FORM.exec(text) ?? [];
  if (operator === undefined) throw refuse(400, `bad matcher format: ${text}`);
  const form = /^"((?:\\[\s\S]|[^"\\])*)"$|^((?:\\[\s\S]|[^"\\]|\\$)*)$/.exec(raw);
  if (form === null) throw refuse(400, `matcher value contains unescaped double quote: ${raw}`);
  const value = (form[1] ?? form[2] ?? '').replace(/\\([n"\\])/g, (_, char) => (char === 'n' ? '\n' : char));
  return { name, value, isRegex: operator.endsWith('~'), isEqual: operator.startsWith('=') };
}

export function compileRegex(pattern: string): (text: string) => boolean {
  try {
    const expression = RE2JS.compile(`^(?:${pattern})$`);
    return (text) => expression.test(text);
  } catch (error) {
    if (error instanceof RE2JSException) throw refuse(400, error.message);
    throw error;
  }
}

/** True for label sets that satisfy the matchers; a missing label is empty. */
export function compileMatchers(matchers: readonly Matcher[]): Match {
  const tests = matchers.map(({ name, value, isRegex, isEqual }) => {
    const matches = isRegex ? compileRegex(value) : (text: string) => text === value;
    return (labels: LabelSet) => matches(Object.hasOwn(labels, name) ? (labels[name] ?? '') : '') === isEqual;
  });
  return (labels) => tests.every((test) => test(labels));
}

interface Route {
  readonly receiver: string;
  readonly match: Match;
  readonly goesOn: boolean;
}

export const RECEIVERS = ['operations', 'pager', 'platform-chat', 'payments-chat'] as const;
const GROUP_BY = ['alertname', 'team'] as const;
export const RESOLVE_TIMEOUT_MS = 5 * 60_000;

const FALLBACK: Route = { receiver: 'operations', match: () => true, goesOn: false };
const ROUTES: readonly (Route & { readonly matcher: string })[] = [
  { receiver: 'pager', ...matching('severity="critical"'), goesOn: true },
  { receiver: 'platform-chat', ...matching('team="platform"'), goesOn: false },
  { receiver: 'payments-chat', ...matching('team="payments"'), goesOn: false },
];
const SOURCE = matching('severity="critical"');
const TARGET = matching('severity=~"warning|info"');
export const INHIBITION = { source: SOURCE.match, target: TARGET.match, equal: ['alertname', 'cluster'] } as const;

/** The same, as the server shows it. */
export const CONFIG_TEXT = `global:
  resolve_timeout: 5m
route:
  receiver: ${FALLBACK.receiver}
  group_by:
${GROUP_BY.map((name) => `  - ${name}\n`).join('')}  continue: false
  routes:
${ROUTES.map(({ receiver, matcher, goesOn }) => `  - receiver: ${receiver}\n    matchers:\n    - ${matcher}\n    continue: ${goesOn}\n`).join('')}  group_wait: 1s
  group_interval: 1s
inhibit_rules:
- source_matchers:
  - ${SOURCE.matcher}
  target_matchers:
  - ${TARGET.matcher}
  equal:
${INHIBITION.equal.map((name) => `  - ${name}\n`).join('')}receivers:
${RECEIVERS.map((name) => `- name: ${name}\n`).join('')}templates: []
`;

function matching(matcher: string): { readonly matcher: string; readonly match: Match } {
  return { matcher, match: compileMatchers([parseMatcher(matcher)]) };
}

export function routesOf(labels: LabelSet): readonly Route[] {
  const taken: Route[] = [];
  for (const route of ROUTES) {
    if (!route.match(labels)) continue;
    taken.push(route);
    if (!route.goesOn) break;
  }
  return taken.length === 0 ? [FALLBACK] : taken;
}

export function groupLabelsOf(labels: LabelSet): LabelSet {
  return Object.fromEntries(GROUP_BY.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])));
}

export const INTERVAL = 'always';
export const MUTED_RECEIVER = 'payments-chat';

/** The configuration with the interval of the trap `mute-interval` in it. */
export function withInterval(config: string): string {
  const muted = config.replace(
    `receiver: ${MUTED_RECEIVER}\n`,
    (line) => `${line}    mute_time_intervals: [${INTERVAL}]\n`,
  );
  return `${muted}time_intervals:\n- name: ${INTERVAL}\n  time_intervals:\n  - weekdays: ['sunday:saturday']\n`;
}
