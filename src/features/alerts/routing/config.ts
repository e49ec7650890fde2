/** What decides who is notified in a configuration, checked as `amtool check-config` does. */
import * as z from 'zod/mini';
import { tryParseDuration } from '../../../duration.ts';
import { formatMatcher, type Matcher, matcher, minorOf, parseMatcherList } from '../matcher.ts';
import { regexCompiler } from '../matching.ts';
import { listOf, MAPPING, readText, type TimeInterval, text, timeInterval } from './time-intervals.ts';
import { checkYaml, type Path, PlainBoolean, type Problem, readYaml } from './yaml.ts';

export interface RouteConfig {
  readonly receiver: string;
  /** Undefined if the route inherits it. */
  readonly groupBy: readonly string[] | undefined;
  readonly groupWait: string | undefined;
  readonly groupInterval: string | undefined;
  readonly repeatInterval: string | undefined;
  readonly matchers: readonly Matcher[];
  readonly continue: boolean;
  readonly muteTimeIntervals: readonly string[];
  readonly activeTimeIntervals: readonly string[];
  readonly routes: readonly RouteConfig[];
}

export interface InhibitRule {
  readonly source: readonly Matcher[];
  readonly target: readonly Matcher[];
  readonly equal: readonly string[];
}

export interface RoutingConfig {
  readonly route: RouteConfig;
  readonly receivers: readonly string[];
  readonly timeIntervals: ReadonlyMap<string, readonly TimeInterval[]>;
  readonly inhibitRules: readonly InhibitRule[];
  /** How many patterns of template files it has. */
  readonly templates: number;
}

export interface CheckedConfig {
  /** Undefined if there are problems. */
  readonly config?: RoutingConfig;
  readonly problems?: readonly Problem[];
  /** Fields that svc does not know: mistyped, or of a newer server. */
  readonly unknown: readonly Problem[];
  /** Routes that no alert can reach, and where a second document begins, which nothing reads. */
  readonly ignored: readonly Problem[];
}

/** By the rules of this version of the server, such as `0.25.0`; undefined is the newest. */
export async function readRoutingConfig(source: string, version?: string): Promise<CheckedConfig> {
  const file = await readYaml(source);
  const schema = configSchema(version, await regexTest(source));
  const { unknown, ...checked } = checkYaml({ ...file, value: file.value ?? {} }, schema);
  const warnings = { unknown, ignored: file.ignored };
  if ('problems' in checked) return { ...checked, ...warnings };
  const { route, receivers, inhibit_rules, templates, ...intervals } = checked.data;
  if (!route) return { problems: [file.problemAt([], 'there is no route')], ...warnings };
  const [muted, timed] = [intervals.mute_time_intervals ?? [], intervals.time_intervals ?? []];
  const config = {
    route,
    receivers: (receivers ?? []).map(({ name }) => name),
    timeIntervals: new Map([...muted, ...timed].map((of) => [of?.name ?? '', of?.time_intervals ?? []])),
    inhibitRules: (inhibit_rules ?? []).filter((rule) => rule !== null),
    templates: templates?.length ?? 0,
  };
  const faults = [
    ...twice('receivers', config.receivers),
    ...twice(
      'time_intervals',
      timed.map((of) => of?.name ?? ''),
    ),
    ...twice(
      'mute_time_intervals',
      muted.map((of) => of?.name ?? ''),
    ),
    ...muted.flatMap((of, index) =>
      timed.some((other) => other?.name === of?.name)
        ? [fault(['mute_time_intervals', index, 'name'], `${of?.name} is also in time_intervals`)]
        : [],
    ),
    ...rootFaults(route),
    ...routeFaults(config, route, ['route']),
  ];
  const problemOf = ({ path, message }: Fault) => file.problemAt(path, message);
  if (faults.length === 0) {
    const unreachable = unreachableRoutes(route, ['route']).map(problemOf);
    return { config, unknown, ignored: [...unreachable, ...file.ignored] };
  }
  return { problems: faults.map(problemOf), ...warnings };
}

interface Fault {
  readonly path: Path;
  readonly message: string;
}

const fault = (path: Path, message: string): Fault => ({ path, message });

function twice(field: string, names: readonly string[]): Fault[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [fault([field, index, 'name'], `the name ${name} is used twice`)] : [],
  );
}

function rootFaults(root: RouteConfig): Fault[] {
  const refused = [
    root.receiver === '' ? 'the root route needs a receiver' : undefined,
    root.continue ? 'the root route cannot have continue' : undefined,
    root.matchers.length > 0 ? 'the root route cannot have matchers' : undefined,
    root.muteTimeIntervals.length > 0 ? 'the root route cannot have mute_time_intervals' : undefined,
    root.activeTimeIntervals.length > 0 ? 'the root route cannot have active_time_intervals' : undefined,
  ];
  return refused.flatMap((message) => (message === undefined ? [] : [fault(['route'], message)]));
}

/** Names that nothing defines. */
function routeFaults(config: RoutingConfig, route: RouteConfig, path: Path): Fault[] {
  const intervals = (field: string, names: readonly string[]) =>
    names.flatMap((name, index) =>
      config.timeIntervals.has(name) ? [] : [fault([...path, field, index], `no time interval is named "${name}"`)],
    );
  const isDefined = route.receiver === '' || config.receivers.includes(route.receiver);
  return [
    ...(isDefined ? [] : [fault([...path, 'receiver'], `no receiver is named ${route.receiver}`)]),
    ...intervals('mute_time_intervals', route.muteTimeIntervals),
    ...intervals('active_time_intervals', route.activeTimeIntervals),
    ...route.routes.flatMap((child, index) => routeFaults(config, child, [...path, 'routes', index])),
  ];
}

/** Those after a route without `continue` whose matchers they all have, or that has none. */
function unreachableRoutes({ routes }: RouteConfig, path: Path): Fault[] {
  const found: Fault[] = [];
  const final: (readonly string[])[] = [];
  for (const [index, route] of routes.entries()) {
    const own: Path = [...path, 'routes', index];
    const matchers = route.matchers.map(formatMatcher);
    const earlier = final.find((texts) => texts.every((text) => matchers.includes(text)));
    if (earlier === undefined) found.push(...unreachableRoutes(route, own));
    else {
      const which = earlier.length === 0 ? 'without matchers' : `with ${earlier.join(' ')}`;
      const why = `an earlier one ${which} takes all of its alerts, and has no continue`;
      found.push(fault(own, `no alert can reach this route: ${why}`));
    }
    if (!route.continue) final.push(matchers);
  }
  return found;
}

type RegexTest = (regex: string) => boolean;

/** Loads the library of regular expressions only for a file that has some. */
async function regexTest(source: string): Promise<RegexTest> {
  if (!/~|match_re/.test(source)) return () => true;
  const compile = await regexCompiler();
  return (regex) => compile(regex) !== undefined;
}

const CLASSIC_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

const duration = readText((value) => {
  if (tryParseDuration(value) === undefined)
    throw new Error(`${value || 'an empty text'} is not a duration, such as 30s or 1h30m`);
  return value;
});
const positiveDuration = duration.check(z.refine((value) => /[1-9]/.test(value), 'it must not be zero'));

const name = text.check(z.refine((value) => value !== '', 'the name is empty'));

function optional<T>(schema: z.ZodMiniType<T>) {
  return z.optional(z.nullable(schema));
}

function configSchema(version: string | undefined, isRegex: RegexTest) {
  const minor = minorOf(version);
  const fields = matcherFields(minor, isRegex);
  const namedIntervals = z.nullable(z.strictObject({ name, time_intervals: listOf(timeInterval) }, MAPPING));
  return z.strictObject(
    {
      global: z.optional(z.unknown()),
      templates: listOf(text),
      ...(minor > 28 ? { tracing: z.optional(z.unknown()) } : {}),
      ...(minor >= 33 ? { event_recorder: z.optional(z.unknown()) } : {}),
      route: optional(routeSchema(minor, fields)),
      receivers: listOf(receiverSchema(minor)),
      inhibit_rules: listOf(z.nullable(inhibitRuleSchema(minor, fields))),
      mute_time_intervals: listOf(namedIntervals),
      time_intervals: listOf(namedIntervals),
    },
    MAPPING,
  );
}

type MatcherFields = ReturnType<typeof matcherFields>;

/** Label names have been UTF-8 since 0.27. */
function matcherFields(minor: number, isRegex: RegexTest) {
  const acceptsUtf8 = minor >= 27;
  const labelName = readText((value) => {
    if (acceptsUtf8 ? value === '' : !CLASSIC_NAME.test(value)) throw new Error(`"${value}" is not a label name`);
    return value;
  });
  const matchers = listOf(
    readText((line): readonly Matcher[] => {
      const read = parseMatcherList(line, acceptsUtf8, (of) => !of.isRegex || isRegex(of.value));
      if (read === undefined) throw new Error(`${line} is not a valid matcher`);
      return read;
    }),
  );
  return { labelName, matchers, equal: labelPairs('=', isRegex), regex: labelPairs('=~', isRegex) };
}

function labelPairs(operator: '=' | '=~', isRegex: RegexTest) {
  return optional(
    z.pipe(
      z.record(z.string(), z.nullable(text), 'must have labels and their values'),
      z.transform((values, ctx) =>
        Object.entries(values).map(([label, value]) => {
          const refuse = (message: string) =>
            ctx.issues.push({ code: 'custom', message, input: values, path: [label], continue: true });
          if (!CLASSIC_NAME.test(label)) refuse(`"${label}" is not a label name`);
          if (operator === '=~' && (value === null || !isRegex(value))) refuse('it is not a regular expression');
          return matcher(label, operator, value ?? '');
        }),
      ),
    ),
  );
}

function routeSchema(minor: number, { labelName, matchers, equal, regex }: MatcherFields) {
  const route: z.ZodMiniType<RouteConfig> = z.pipe(
    z.strictObject(
      {
        receiver: z.optional(text),
        group_by: optional(
          z.array(z.union([z.literal('...'), labelName]), 'must be a list').check(
            z.refine((names) => new Set(names).size === names.length, 'a label is listed twice'),
            z.refine((names) => names.length < 2 || !names.includes('...'), '... must be the only label'),
          ),
        ),
        match: equal,
        match_re: regex,
        matchers,
        mute_time_intervals: listOf(text),
        active_time_intervals: listOf(text),
        continue: optional(z.instanceof(PlainBoolean, { error: 'must be true or false' })),
        routes: listOf(z.lazy(() => route)),
        group_wait: optional(duration),
        group_interval: optional(positiveDuration),
        repeat_interval: optional(positiveDuration),
        ...(minor >= 34 ? { labels: z.optional(z.unknown()) } : {}),
      },
      MAPPING,
    ),
    z.transform(
      (read): RouteConfig => ({
        receiver: read.receiver ?? '',
        groupBy: read.group_by?.length ? read.group_by : undefined,
        groupWait: read.group_wait ?? undefined,
        groupInterval: read.group_interval ?? undefined,
        repeatInterval: read.repeat_interval ?? undefined,
        matchers: [...(read.match ?? []), ...(read.match_re ?? []), ...(read.matchers ?? []).flat()],
        continue: read.continue?.value ?? false,
        muteTimeIntervals: read.mute_time_intervals ?? [],
        activeTimeIntervals: read.active_time_intervals ?? [],
        routes: read.routes ?? [],
      }),
    ),
  );
  return route;
}

/** What is in the integrations is left to amtool. */
function receiverSchema(minor: number) {
  const receiverField = minor >= 33 ? /^(?:name|labels|\w+_configs)$/ : /^(?:name|\w+_configs)$/;
  return z.looseObject({ name }, MAPPING).check(({ value, issues }) => {
    const keys = Object.keys(value).filter((key) => !receiverField.test(key));
    if (keys.length > 0) issues.push({ code: 'unrecognized_keys', keys, input: value, continue: true });
  });
}

/** Rules have had names since 0.29. */
function inhibitRuleSchema(minor: number, { labelName, matchers, equal, regex }: MatcherFields) {
  return z.pipe(
    z.strictObject(
      {
        ...(minor > 28 ? { name: z.optional(text) } : {}),
        source_match: equal,
        source_match_re: regex,
        source_matchers: matchers,
        target_match: equal,
        target_match_re: regex,
        target_matchers: matchers,
        equal: listOf(labelName),
      },
      MAPPING,
    ),
    z.transform(
      (rule): InhibitRule => ({
        source: [...(rule.source_match ?? []), ...(rule.source_match_re ?? []), ...(rule.source_matchers ?? []).flat()],
        target: [...(rule.target_match ?? []), ...(rule.target_match_re ?? []), ...(rule.target_matchers ?? []).flat()],
        equal: rule.equal ?? [],
      }),
    ),
  );
}
