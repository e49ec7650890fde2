/** Warns of names that the service does not know, because a typing error matches nothing. */
import type { RunContext } from '../../cli/command.ts';
import { suggest } from '../../cli/lookup.ts';
import { SvcError } from '../../errors.ts';
import { type Alertmanager, ifPossible } from './api.ts';
import type { Matcher } from './matcher.ts';
import type { RouteConfig } from './routing/config.ts';
import { readRoutingConfig } from './routing/source.ts';
import type { Status } from './schema.ts';

/** From alerts and the running configuration. Names in silences may themselves be mistyped. */
export type KnownNames = ReadonlyMap<string, ReadonlySet<string>>;

/** One question for each unknown name or value that is close to a known one. */
export function suggestNames(matchers: readonly Matcher[], known: KnownNames): string[] {
  const questions = matchers.map(({ name, value, isRegex, isEqual }) => {
    const values = known.get(name);
    if (values === undefined) return questionName('label', name, known.keys());
    // Values with numbers, such as web-1 and web-2, resemble each other on purpose.
    if (isRegex || !isEqual || value === '' || values.has(value) || /\d/.test(value)) return undefined;
    const [label] = name === 'alertname' ? ([...known].find(([, others]) => others.has(value)) ?? []) : [];
    if (label !== undefined) return `no alert is named ${value}: did you mean ${label}=${value}?`;
    return questionName(name === 'alertname' ? 'alert name' : name, value, values);
  });
  return [...new Set(questions.filter((text) => text !== undefined))];
}

function questionName(kind: string, given: string, names: Iterable<string>): string | undefined {
  const meant = suggest(given, names);
  return meant === undefined ? undefined : `unknown ${kind} ${given}: did you mean ${meant}?`;
}

function unknownText(label: string, names: Iterable<string>): string {
  return questionName('label', label, names) ?? `unknown label ${label}`;
}

export function unknownLabel(option: string, given: string, names: Iterable<string>): SvcError {
  return new SvcError('invalid_value', `${option}: ${unknownText(given, names)}`, {
    hint: 'svc alerts list -a -o json shows the labels',
  });
}

/** What the user gave to select alerts. */
interface Given {
  readonly matchers: readonly Matcher[];
  readonly filter?: { readonly receiver?: string | undefined };
}

/** A failure to read the known names is ignored. */
export async function warnOfNames(
  { matchers, filter }: Given,
  alertmanager: Alertmanager,
  ctx: Pick<RunContext, 'notice'>,
  prefix = '',
): Promise<void> {
  const questions = await ifPossible(async () =>
    matchers.length === 0 ? [] : suggestNames(matchers, await readKnownNames(alertmanager)),
  );
  const receiver = await ifPossible(() => unknownReceiver(filter?.receiver, alertmanager));
  for (const text of [...(questions ?? []), ...(receiver === undefined ? [] : [receiver])])
    ctx.notice(`warning: ${prefix}${text}`);
}

/** Of labels by which alerts are grouped. */
export async function warnOfLabels(
  names: readonly string[],
  alertmanager: Alertmanager,
  ctx: Pick<RunContext, 'notice'>,
): Promise<void> {
  if (names.length === 0) return;
  const known = await ifPossible(() => readKnownNames(alertmanager));
  for (const name of names)
    if (known?.has(name) === false) ctx.notice(`warning: --group-by: ${unknownText(name, known.keys())}`);
}

async function unknownReceiver(
  given: string | undefined,
  alertmanager: Pick<Alertmanager, 'receivers'>,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const { regexCompiler } = await import('./matching.ts');
  const matches = (await regexCompiler())(given);
  if (matches === undefined) return undefined;
  const names: string[] = [];
  for await (const { name } of alertmanager.receivers()) names.push(name);
  if (names.some(matches)) return undefined;
  // A part of a name is no typing error.
  const isPart = names.some((name) => name.includes(given) && name.length > given.length + 2);
  const question = isPart ? undefined : questionName('receiver', given, names);
  return question ?? `no receiver matches ${given}: the expression must match the complete name`;
}

export async function readKnownNames(alertmanager: Pick<Alertmanager, 'alerts' | 'status'>): Promise<KnownNames> {
  const known: NamesFound = new Map();
  for await (const { labels } of alertmanager.alerts()) {
    for (const [name, value] of Object.entries(labels)) addName(known, name).add(value);
  }
  // Compatible servers may have no status.
  await ifPossible(async () => addConfiguration(known, await alertmanager.status()));
  return known;
}

type NamesFound = Map<string, Set<string>>;

function addName(known: NamesFound, name: string): Set<string> {
  const values = known.get(name) ?? new Set();
  known.set(name, values);
  return values;
}

async function addConfiguration(known: NamesFound, { config, versionInfo }: Status): Promise<void> {
  const read = await readRoutingConfig(config?.original ?? '', versionInfo?.version ?? undefined);
  if (read.config === undefined) return;
  addRoute(known, read.config.route);
  for (const { source, target, equal } of read.config.inhibitRules) {
    for (const one of [...source, ...target]) addMatcher(known, one);
    for (const name of equal) addName(known, name);
  }
}

function addRoute(known: NamesFound, { matchers, groupBy = [], routes }: RouteConfig): void {
  for (const one of matchers) addMatcher(known, one);
  for (const name of groupBy) if (name !== '...') addName(known, name);
  for (const route of routes) addRoute(known, route);
}

function addMatcher(known: NamesFound, { name, value, isRegex, isEqual }: Matcher): void {
  const values = addName(known, name);
  if (isEqual && !isRegex) values.add(value);
}
