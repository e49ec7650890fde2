/** The configuration of the sandbox's Alertmanager: receivers, routes and the inhibition rule. */
import { compileMatchers, type LabelSet, type Match, parseMatcher } from './labels.ts';

export const RECEIVERS = ['operations', 'pager', 'platform-chat', 'payments-chat'] as const;
const GROUP_BY = ['alertname', 'team'] as const;
/** An alert without an end is resolved if it is not sent again for so long. */
export const RESOLVE_TIMEOUT_MS = 5 * 60_000;

const FALLBACK = 'operations';
/** `goesOn` is `continue` in the configuration: later routes are tried, too. */
const ROUTES = [
  { receiver: 'pager', ...compileMatcher('severity="critical"'), goesOn: true },
  { receiver: 'platform-chat', ...compileMatcher('team="platform"'), goesOn: false },
  { receiver: 'payments-chat', ...compileMatcher('team="payments"'), goesOn: false },
];
const SOURCE = compileMatcher('severity="critical"');
const TARGET = compileMatcher('severity=~"warning|info"');
export const INHIBITION = { source: SOURCE.match, target: TARGET.match, equal: ['alertname', 'cluster'] } as const;

/** The routes and the inhibition rule above, as the server shows them. */
export const CONFIG_TEXT = `global:
  resolve_timeout: 5m
route:
  receiver: ${FALLBACK}
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

function compileMatcher(matcher: string): { readonly matcher: string; readonly match: Match } {
  return { matcher, match: compileMatchers([parseMatcher(matcher)]) };
}

export function receiversOf(labels: LabelSet): readonly string[] {
  const receivers: string[] = [];
  for (const { receiver, match, goesOn } of ROUTES) {
    if (!match(labels)) continue;
    receivers.push(receiver);
    if (!goesOn) break;
  }
  return receivers.length === 0 ? [FALLBACK] : receivers;
}

export function groupLabelsOf(labels: LabelSet): LabelSet {
  return Object.fromEntries(GROUP_BY.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])));
}
