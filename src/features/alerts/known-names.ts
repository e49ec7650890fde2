/** Label names and alert names that the service knows, and which of them a mistyped one was probably meant to be. */
import { SvcError } from '../../errors.ts';
import { isObject } from '../../json-object.ts';
import type { Alertmanager } from './api.ts';
import type { Matcher } from './matcher.ts';
import { MatcherSyntaxError, parseFallback, splitList } from './matcher-syntax.ts';

interface Names {
  readonly labels: Set<string>;
  readonly alertNames: Set<string>;
}

/** Of alerts and the running configuration. A silence may itself be mistyped: its names are only suggested. */
export interface KnownNames extends Names {
  readonly silenced: Names;
}

export interface NameSuggestion {
  readonly kind: 'label' | 'alert name';
  readonly given: string;
  readonly known: string;
}

const MOST_EDITS = 2;

/** For each label name and alert name that is not known but close to a known one, the closest. Ask only where nothing matches. */
export function suggestNames(matchers: readonly Matcher[], known: KnownNames): NameSuggestion[] {
  const found: NameSuggestion[] = [];
  const question = (kind: NameSuggestion['kind'], names: keyof Names, given: string): void => {
    if (known[names].has(given) || found.some((one) => one.kind === kind && one.given === given)) return;
    const meant = closest(given, new Set([...known[names], ...known.silenced[names]]));
    if (meant !== undefined) found.push({ kind, given, known: meant });
  };
  for (const { name, value, isRegex, isEqual } of matchers) {
    question('label', 'labels', name);
    if (name === 'alertname' && isEqual && !isRegex) question('alert name', 'alertNames', value);
  }
  return found;
}

export function suggestionText({ kind, given, known }: NameSuggestion): string {
  return `unknown ${kind} ${given}: did you mean ${known}?`;
}

/** For an option that names a label which is not among `names`. */
export function unknownLabel(option: string, given: string, names: Iterable<string>): SvcError {
  const known = closest(given, names);
  const message = known === undefined ? `unknown label ${given}` : suggestionText({ kind: 'label', given, known });
  return new SvcError('invalid_value', `${option}: ${message}`, {
    hint: 'svc alerts list -a -o json shows the labels',
  });
}

/** The first of the closest other names, if any is within two edits and has more in common than its length. */
export function closest(given: string, names: Iterable<string>): string | undefined {
  const near = [...names].filter((name) => name !== given && Math.max(name.length, given.length) > MOST_EDITS);
  for (let edits = 1; edits <= MOST_EDITS; edits++) {
    const known = near.find((name) => isWithin(given, name, edits));
    if (known !== undefined) return known;
  }
  return undefined;
}

/** Whether so many edits make one text of the other: to insert, delete or replace a character, or to swap two neighbours. */
function isWithin(a: string, b: string, edits: number): boolean {
  if (Math.abs(a.length - b.length) > edits) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const [x, y] = [a.slice(same), b.slice(same)];
  if (x === '' || y === '') return true;
  if (edits === 0) return false;
  return (
    isWithin(x.slice(1), y, edits - 1) ||
    isWithin(x, y.slice(1), edits - 1) ||
    isWithin(x.slice(1), y.slice(1), edits - 1) ||
    (x.length > 1 && x[0] === y[1] && x[1] === y[0] && isWithin(x.slice(2), y.slice(2), edits - 1))
  );
}

/** The names in the alerts, the silences and the running configuration. */
export async function readKnownNames(
  alertmanager: Pick<Alertmanager, 'alerts' | 'silences' | 'status'>,
): Promise<KnownNames> {
  const silenced = { labels: new Set<string>(), alertNames: new Set<string>() };
  const known = { labels: new Set<string>(), alertNames: new Set<string>(), silenced };
  for await (const { labels } of alertmanager.alerts()) {
    for (const [name, value] of Object.entries(labels)) addEquality(known, name, value);
  }
  // Newer servers may be unable to list their silences, and compatible ones may have no status: names from the rest will do.
  await ifPossible(async () => {
    for await (const { matchers } of alertmanager.silences()) {
      for (const { name, value, isRegex, isEqual } of matchers) {
        if (!isRegex && (isEqual ?? true)) addEquality(silenced, name, value);
        else silenced.labels.add(name);
      }
    }
  });
  await ifPossible(async () => addConfiguration(known, await parseYaml((await alertmanager.status()).config.original)));
  return known;
}

function addEquality({ labels, alertNames }: Names, name: string, value: string): void {
  labels.add(name);
  if (name === 'alertname') alertNames.add(value);
}

/** Reads what is not essential: a failure is ignored, an interruption is not. */
export async function ifPossible(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof SvcError) || error.code === 'interrupted' || error.code === 'terminated') throw error;
  }
}

/** Remote text: what is not YAML, or refers to itself too often, names nothing. */
async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Routes and inhibition rules name labels in these fields, at any depth of the configuration file. */
function addConfiguration(known: Names, value: unknown): void {
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

/** One matcher, or a list of them in braces. */
function addMatchers(known: Names, text: string): void {
  for (const item of splitList(text.trim().replace(/^\{(.*)\}$/s, '$1'))) {
    try {
      const { name, value, isRegex, isEqual } = parseFallback(item);
      if (isEqual && !isRegex) addEquality(known, name, value);
      else known.labels.add(name);
    } catch (error) {
      if (!(error instanceof MatcherSyntaxError)) throw error;
    }
  }
}
