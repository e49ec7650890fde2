/** The emulator's one configuration: who is told of which alert, in which groups, and what inhibits what. */
import type { LabelSet } from './fingerprint.ts';
import { compileMatchers, type Match, parseMatcher } from './matcher.ts';

export interface Route {
  readonly receiver: string;
  readonly match: Match;
  readonly goesOn: boolean;
}

export const RECEIVERS = ['operations', 'pager', 'platform-chat', 'payments-chat'] as const;
const GROUP_BY = ['alertname', 'team'] as const;
export const RESOLVE_TIMEOUT_MS = 5 * 60_000;

const FALLBACK: Route = { receiver: 'operations', match: () => true, goesOn: false };
const ROUTES: readonly Route[] = [
  { receiver: 'pager', match: matching('severity="critical"'), goesOn: true },
  { receiver: 'platform-chat', match: matching('team="platform"'), goesOn: false },
  { receiver: 'payments-chat', match: matching('team="payments"'), goesOn: false },
];

export const INHIBITION = {
  source: matching('severity="critical"'),
  target: matching('severity=~"warning|info"'),
  equal: ['alertname', 'cluster'],
} as const;

/** The same as the server shows it. */
export const CONFIG_TEXT = `global:
  resolve_timeout: 5m
route:
  receiver: operations
  group_by:
  - alertname
  - team
  continue: false
  routes:
  - receiver: pager
    matchers:
    - severity="critical"
    continue: true
  - receiver: platform-chat
    matchers:
    - team="platform"
    continue: false
  - receiver: payments-chat
    matchers:
    - team="payments"
    continue: false
  group_wait: 1s
  group_interval: 1s
inhibit_rules:
- source_matchers:
  - severity="critical"
  target_matchers:
  - severity=~"warning|info"
  equal:
  - alertname
  - cluster
receivers:
- name: operations
- name: pager
- name: platform-chat
- name: payments-chat
templates: []
`;

function matching(text: string): Match {
  const matcher = parseMatcher(text);
  const match = typeof matcher === 'string' ? matcher : compileMatchers([matcher]);
  if (typeof match === 'string') throw new Error(match);
  return match;
}

/** The routes an alert takes, in their order. */
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
