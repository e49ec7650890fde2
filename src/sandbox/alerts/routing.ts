/** The emulator's only configuration: receivers and groups of an alert, and inhibitions. */
import { compileMatchers, type LabelSet, type Match, parseMatcher } from './labels.ts';

export interface Route {
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

/** The routes of an alert, in order. */
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
