/** Questions label names, values and receivers that the service does not know, in warnings: a mistyped filter matches nothing. */
import type { RunContext } from '../../cli/command.ts';
import { suggest } from '../../cli/lookup.ts';
import { SvcError } from '../../errors.ts';
import { isObject } from '../../json-object.ts';
import { type Alertmanager, ifPossible } from './api.ts';
import { type Matcher, parseFallback, splitList } from './matcher.ts';

/** The values of each label in alerts and the running configuration. Names in silences may themselves be mistyped. */
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
    for (const [name, value] of Object.entries(labels)) addValue(known, name, value);
  }
  // Compatible servers may have no status.
  await ifPossible(async () =>
    addConfiguration(known, await parseYaml((await alertmanager.status()).config?.original ?? '')),
  );
  return known;
}

type NamesFound = Map<string, Set<string>>;

function addName(known: NamesFound, name: string): Set<string> {
  const values = known.get(name) ?? new Set();
  known.set(name, values);
  return values;
}

function addValue(known: NamesFound, name: string, value: string): void {
  addName(known, name).add(value);
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
function addConfiguration(known: NamesFound, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) addConfiguration(known, item);
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const field = name.replace(/^(?:source|target)_/, '');
    const add = Object.hasOwn(FIELDS, field) ? FIELDS[field] : addConfiguration;
    add?.(known, inner);
  }
}

const addNames = (known: NamesFound, value: unknown) => {
  for (const name of texts(value)) addName(known, name);
};

/** What the fields of routes and inhibition rules say about labels. */
const FIELDS: Readonly<Record<string, (known: NamesFound, value: unknown) => void>> = {
  group_by: addNames,
  equal: addNames,
  matchers(known, value) {
    for (const text of texts(value)) addMatchers(known, text);
  },
  match(known, value) {
    for (const [name, text] of entries(value)) addValue(known, name, String(text));
  },
  match_re(known, value) {
    for (const [name] of entries(value)) addName(known, name);
  },
};

function entries(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string' && item !== '...') : [];
}

function addMatchers(known: NamesFound, text: string): void {
  for (const item of splitList(text.trim().replace(/^\{(.*)\}$/s, '$1'))) {
    const parsed = parseFallback(item);
    if (parsed !== undefined) addMatcher(known, parsed);
  }
}

function addMatcher(known: NamesFound, { name, value, isRegex, isEqual }: Matcher): void {
  if (isEqual && !isRegex) addValue(known, name, value);
  else addName(known, name);
}
