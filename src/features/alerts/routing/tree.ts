/** The routing tree as the server builds it: what routes inherit, and which an alert takes. */
import { zoneOf } from '../../../cli/time.ts';
import { ownValue } from '../columns.ts';
import { formatMatcher } from '../matcher.ts';
import { labelTest } from '../matching.ts';
import type { Alert } from '../schema.ts';
import type { InhibitRule, RouteConfig, RoutingConfig } from './config.ts';
import type { Range, TimeInterval } from './time-intervals.ts';

type Labels = Readonly<Record<string, string>>;

export interface Route {
  /** Its own matchers. */
  readonly matchers: readonly string[];
  readonly receiver: string;
  /** `...` alone is every label. */
  readonly groupBy: readonly string[];
  readonly groupWait: string;
  readonly groupInterval: string;
  readonly repeatInterval: string;
  readonly continue: boolean;
  /** Not inherited. */
  readonly muteTimeIntervals: readonly string[];
  readonly activeTimeIntervals: readonly string[];
}

type Inherited = Pick<Route, 'receiver' | 'groupBy' | 'groupWait' | 'groupInterval' | 'repeatInterval'>;

const DEFAULTS: Inherited = { receiver: '', groupBy: [], groupWait: '30s', groupInterval: '5m', repeatInterval: '4h' };

function routeOf(config: RouteConfig, parent: Inherited): Route {
  return {
    matchers: config.matchers.map(formatMatcher),
    receiver: config.receiver || parent.receiver,
    groupBy: config.groupBy ?? parent.groupBy,
    groupWait: config.groupWait ?? parent.groupWait,
    groupInterval: config.groupInterval ?? parent.groupInterval,
    repeatInterval: config.repeatInterval ?? parent.repeatInterval,
    continue: config.continue,
    muteTimeIntervals: config.muteTimeIntervals,
    activeTimeIntervals: config.activeTimeIntervals,
  };
}

export interface DrawnRoute extends Route {
  readonly depth: number;
  /** The lines of the tree to the left of it. */
  readonly branch: string;
}

/** Each route, before its children. */
export function* walkRoutes(root: RouteConfig): Generator<DrawnRoute, void, void> {
  yield* walk(root, DEFAULTS, { depth: 0, branch: '', below: '' });
}

interface Position {
  readonly depth: number;
  readonly branch: string;
  /** To the left of its children. */
  readonly below: string;
}

function* walk(config: RouteConfig, parent: Inherited, { depth, branch, below }: Position): Generator<DrawnRoute> {
  const route = routeOf(config, parent);
  yield { ...route, depth, branch };
  for (const [index, child] of config.routes.entries()) {
    const isLast = index === config.routes.length - 1;
    const position = {
      depth: depth + 1,
      branch: `${below}${isLast ? '└── ' : '├── '}`,
      below: `${below}${isLast ? '    ' : '│   '}`,
    };
    yield* walk(child, route, position);
  }
}

export interface MatchedRoute extends Route {
  /** The matchers of each route below the root; `{}` if it has none, as the server writes it. */
  readonly path: readonly string[];
}

/** The deepest routes that match, one for each branch that `continue` leads to. */
export async function matchRoutes(root: RouteConfig, labels: Labels): Promise<MatchedRoute[]> {
  return matchBelow(root, DEFAULTS, undefined, labels);
}

async function matchBelow(
  config: RouteConfig,
  parent: Inherited,
  /** Undefined for the root. */
  above: readonly string[] | undefined,
  labels: Labels,
): Promise<MatchedRoute[]> {
  const matches = await labelTest(config.matchers);
  if (!matches(labels)) return [];
  const route = routeOf(config, parent);
  const path = above === undefined ? [] : [...above, route.matchers.join(' ') || '{}'];
  const found: MatchedRoute[] = [];
  for (const child of config.routes) {
    const below = await matchBelow(child, route, path, labels);
    found.push(...below);
    if (below.length > 0 && !child.continue) break;
  }
  return found.length > 0 ? found : [{ ...route, path }];
}

/** The labels that this alert's group has. */
export function groupLabels({ groupBy }: Route, labels: Labels): Labels {
  if (groupBy.includes('...')) return labels;
  return Object.fromEntries(groupBy.map((name) => [name, ownValue(labels, name) ?? '']));
}

/** The route is muted in any of its mute intervals, and outside all of its active intervals. */
export function mutedBy(route: Route, { timeIntervals }: RoutingConfig, ms: number): readonly string[] {
  const contains = (name: string) => (timeIntervals.get(name) ?? []).some((interval) => containsTime(interval, ms));
  const muting = route.muteTimeIntervals.filter(contains);
  return muting.length > 0 || route.activeTimeIntervals.some(contains) ? muting : route.activeTimeIntervals;
}

/** Without a zone it is UTC. The zone of the server (`Local`) is not known: UTC, too. */
function containsTime(interval: TimeInterval, ms: number): boolean {
  const zone = interval.location === undefined || interval.location === 'Local' ? 'UTC' : interval.location || 'UTC';
  const local = localTime(ms, zone);
  const daysInMonth = new Date(Date.UTC(local.year, local.month, 0)).getUTCDate();
  const within = (ranges: readonly Range[] | null | undefined, value: number) =>
    !ranges || ranges.some(({ begin, end }) => value >= begin && value <= end);
  // A range that ends after the month ends with it.
  const days = interval.days_of_month?.map(({ begin, end }) => ({
    begin: begin < 0 ? daysInMonth + begin + 1 : begin,
    end: end < 0 ? daysInMonth + end + 1 : end,
  }));
  return (
    (!interval.times || interval.times.some((of) => local.minute >= of.start_time && local.minute < of.end_time)) &&
    within(days, local.day) &&
    within(interval.months, local.month) &&
    within(interval.weekdays, local.weekday) &&
    within(interval.years, local.year)
  );
}

function localTime(ms: number, zone: string) {
  const clock = new Date(ms + zoneOf(zone).offset(ms));
  return {
    year: clock.getUTCFullYear(),
    month: clock.getUTCMonth() + 1,
    day: clock.getUTCDate(),
    weekday: clock.getUTCDay(),
    minute: clock.getUTCHours() * 60 + clock.getUTCMinutes(),
  };
}

/** The firing alerts that inhibit one with these labels. */
export async function inhibitors(
  rules: readonly InhibitRule[],
  labels: Labels,
  firing: readonly Alert[],
): Promise<readonly Alert[]> {
  const found = new Set<Alert>();
  for (const { source, target, equal } of rules) {
    const [isSource, isTarget] = await Promise.all([labelTest(source), labelTest(target)]);
    if (!isTarget(labels)) continue;
    // An alert that is source and target at once does not inhibit another one.
    const isBoth = isSource(labels);
    for (const alert of firing) {
      const isInhibiting = isSource(alert.labels) && !(isBoth && isTarget(alert.labels));
      if (
        isInhibiting &&
        equal.every((name) => (ownValue(alert.labels, name) ?? '') === (ownValue(labels, name) ?? ''))
      )
        found.add(alert);
    }
  }
  return [...found];
}
