/** Suggests known label names, alert names and receivers for mistyped ones. */
import type { RunContext } from '../../cli/command.ts';
import { distance } from '../../cli/lookup.ts';
import { SvcError } from '../../errors.ts';
import { isObject } from '../../json-object.ts';
import { type Alertmanager, ifPossible } from './api.ts';
import { type Matcher, parseFallback, splitList } from './matcher.ts';

/** From alerts and the running configuration. Names in silences may themselves be mistyped. */
export interface KnownNames {
  readonly labels: Set<string>;
  readonly alertNames: Set<string>;
}

const MOST_EDITS = 2;

/** One question for each unknown name that is close to a known one. */
export function suggestNames(matchers: readonly Matcher[], known: KnownNames): string[] {
  const found = new Set<string>();
  const question = (kind: string, names: keyof KnownNames, given: string): void => {
    if (known[names].has(given)) return;
    const meant = closest(given, known[names]);
    if (meant !== undefined) found.add(didYouMean(kind, given, meant));
  };
  for (const { name, value, isRegex, isEqual } of matchers) {
    question('label', 'labels', name);
    if (name === 'alertname' && isEqual && !isRegex) question('alert name', 'alertNames', value);
  }
  return [...found];
}

function didYouMean(kind: string, given: string, meant: string): string {
  return `unknown ${kind} ${given}: did you mean ${meant}?`;
}

export function unknownLabel(option: string, given: string, names: Iterable<string>): SvcError {
  const known = closest(given, names);
  const message = known === undefined ? `unknown label ${given}` : didYouMean('label', given, known);
  return new SvcError('invalid_value', `${option}: ${message}`, {
    hint: 'svc alerts list -a -o json shows the labels',
  });
}

/** The closest other name within two edits. */
export function closest(given: string, names: Iterable<string>): string | undefined {
  const near = [...names].flatMap((name) => {
    if (name === given || Math.max(name.length, given.length) <= MOST_EDITS) return [];
    if (Math.abs(name.length - given.length) > MOST_EDITS) return [];
    const edits = distance(given, name);
    return edits > MOST_EDITS ? [] : [{ name, edits }];
  });
  return near.sort((a, b) => a.edits - b.edits)[0]?.name;
}

/** What the user gave to select alerts. */
interface Given {
  readonly matchers: readonly Matcher[];
  readonly filter?: { readonly receiver?: string | undefined };
}

export interface UnknownName {
  readonly text: string;
  /** A known name is within two edits. */
  readonly isMistyped: boolean;
}

export async function unknownNames({ matchers, filter }: Given, alertmanager: Alertmanager): Promise<UnknownName[]> {
  const names = matchers.length === 0 ? [] : suggestNames(matchers, await readKnownNames(alertmanager));
  const receiver = await ifPossible(() => unknownReceiver(filter?.receiver, alertmanager));
  return [...names.map((text) => ({ text, isMistyped: true })), ...(receiver === undefined ? [] : [receiver])];
}

async function unknownReceiver(
  given: string | undefined,
  alertmanager: Pick<Alertmanager, 'receivers'>,
): Promise<UnknownName | undefined> {
  if (given === undefined) return undefined;
  const { regexCompiler } = await import('./matching.ts');
  const matches = (await regexCompiler())(given);
  if (matches === undefined) return undefined;
  const names: string[] = [];
  for await (const { name } of alertmanager.receivers()) names.push(name);
  if (names.some(matches)) return undefined;
  const meant = closest(given, names);
  if (meant !== undefined) return { text: didYouMean('receiver', given, meant), isMistyped: true };
  return { text: `no receiver matches ${given}: the expression must match the complete name`, isMistyped: false };
}

/** A failure to read the known names is ignored. */
export async function warnOfNames(
  given: Given,
  alertmanager: Alertmanager,
  ctx: Pick<RunContext, 'notice'>,
  prefix = '',
): Promise<void> {
  await ifPossible(async () => {
    for (const { text } of await unknownNames(given, alertmanager)) ctx.notice(`warning: ${prefix}${text}`);
  });
}

export async function refuseUnknownLabels(
  names: readonly string[],
  option: string,
  alertmanager: Alertmanager,
): Promise<void> {
  if (names.length === 0) return;
  const { labels } = await readKnownNames(alertmanager);
  const unknown = names.find((name) => !labels.has(name));
  if (unknown !== undefined) throw unknownLabel(option, unknown, labels);
}

export async function readKnownNames(alertmanager: Pick<Alertmanager, 'alerts' | 'status'>): Promise<KnownNames> {
  const known = { labels: new Set<string>(), alertNames: new Set<string>() };
  for await (const { labels } of alertmanager.alerts()) {
    for (const [name, value] of Object.entries(labels)) addEquality(known, name, value);
  }
  // Compatible servers may have no status.
  await ifPossible(async () => addConfiguration(known, await parseYaml((await alertmanager.status()).config.original)));
  return known;
}

function addEquality({ labels, alertNames }: KnownNames, name: string, value: string): void {
  labels.add(name);
  if (name === 'alertname') alertNames.add(value);
}

async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(text, { logLevel: 'error' });
  } catch {
    return undefined;
  }
}

/** Routes and inhibition rules have these fields, at any depth. */
function addConfiguration(known: KnownNames, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) addConfiguration(known, item);
  if (!isObject(value)) return;
  for (const [field, inner] of Object.entries(value)) {
    if (/^(?:source_|target_)?matchers$/.test(field)) for (const text of texts(inner)) addMatchers(known, text);
    else if (field === 'group_by' || field === 'equal') for (const name of texts(inner)) known.labels.add(name);
    else if (/^(?:source_|target_)?match$/.test(field) && isObject(inner)) {
      for (const [name, text] of Object.entries(inner)) addEquality(known, name, String(text));
    } else if (/^(?:source_|target_)?match_re$/.test(field) && isObject(inner)) {
      for (const name of Object.keys(inner)) known.labels.add(name);
    } else addConfiguration(known, inner);
  }
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string' && item !== '...') : [];
}

function addMatchers(known: KnownNames, text: string): void {
  for (const item of splitList(text.trim().replace(/^\{(.*)\}$/s, '$1'))) {
    const parsed = parseFallback(item);
    if (parsed !== undefined) addMatcher(known, parsed);
  }
}

function addMatcher(known: KnownNames, { name, value, isRegex, isEqual }: Matcher): void {
  if (isEqual && !isRegex) addEquality(known, name, value);
  else known.labels.add(name);
}
