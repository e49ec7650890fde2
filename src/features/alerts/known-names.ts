/** Warns of names that no alert has, because a typing error matches nothing. */
import type { RunContext } from '../../cli/command.ts';
import { suggest } from '../../cli/lookup.ts';
import { SvcError } from '../../errors.ts';
import { type Alertmanager, ifPossible } from './api.ts';
import type { Matcher } from './matcher.ts';
import { regexCompiler } from './matching.ts';
import { collect, type GivenFilter } from './selection.ts';

/** The values of each label, from all alerts. Names in silences may themselves be mistyped. */
type KnownNames = ReadonlyMap<string, ReadonlySet<string>>;

/** A failure to read the known names is ignored. */
export async function warnOfNames(
  { matchers, filter }: GivenFilter,
  alertmanager: Alertmanager,
  ctx: Pick<RunContext, 'warn'>,
): Promise<void> {
  const questions = await ifPossible(async () => [
    ...(matchers.length === 0 ? [] : suggestNames(matchers, await readKnownNames(alertmanager))),
    ...(filter.receiver === undefined ? [] : await questionReceiver(filter.receiver, alertmanager)),
  ]);
  for (const text of questions ?? []) ctx.warn(`warning: ${text}`);
}

async function readKnownNames(alertmanager: Pick<Alertmanager, 'alerts'>): Promise<KnownNames> {
  const known = new Map<string, Set<string>>();
  for await (const { labels } of alertmanager.alerts()) {
    for (const [name, value] of Object.entries(labels)) {
      const values = known.get(name) ?? new Set();
      known.set(name, values.add(value));
    }
  }
  return known;
}

/** One question for each unknown name or value that is close to a known one. */
export function suggestNames(matchers: readonly Matcher[], known: KnownNames): readonly string[] {
  const questions = matchers.map(({ name, value, isRegex, isEqual }) => {
    const values = known.get(name);
    if (values === undefined) return questionName('label', name, known.keys());
    // Values with numbers, such as web-1 and web-2, resemble each other on purpose.
    if (isRegex || !isEqual || value === '' || values.has(value) || /\d/.test(value)) return undefined;
    if (name !== 'alertname') return questionName(name, value, values);
    const [label] = [...known].find(([, others]) => others.has(value)) ?? [];
    if (label === undefined) return questionName('alert name', value, values);
    return `no alert is named ${value}: did you mean ${label}=${value}?`;
  });
  return [...new Set(questions.filter((text) => text !== undefined))];
}

function questionName(kind: string, given: string, names: Iterable<string>): string | undefined {
  const meant = suggest(given, names);
  return meant === undefined ? undefined : `unknown ${kind} ${given}: did you mean ${meant}?`;
}

async function questionReceiver(given: string, alertmanager: Pick<Alertmanager, 'receivers'>) {
  const matches = (await regexCompiler())(given);
  const names = (await collect(alertmanager.receivers())).map(({ name }) => name);
  if (matches === undefined || names.some(matches)) return [];
  return [
    questionName('receiver', given, names) ??
      `no receiver matches ${given}: the expression must match the complete name`,
  ];
}

export function unknownLabel(option: string, given: string, names: Iterable<string>): SvcError {
  const question = questionName('label', given, names) ?? `unknown label ${given}`;
  return new SvcError('invalid_value', `${option}: ${question}`, {
    hint: 'svc alerts list -a -o json shows the labels',
  });
}
