/** Which labels matchers match. Like the server, it uses RE2 and matches the complete value. */
import { SvcError } from '../../errors.ts';
import { formatMatcher, type Matcher } from './matcher.ts';

type Labels = Readonly<Record<string, string>>;

type ValueTest = (value: string) => boolean;

/** Makes a test of the complete value. Undefined if the expression is invalid. */
export async function regexCompiler(): Promise<(regex: string) => ValueTest | undefined> {
  const { RE2JS, RE2JSException } = await import('re2js');
  return (regex) => {
    try {
      const compiled = RE2JS.compile(`^(?:${regex})$`);
      return (value) => compiled.test(value);
    } catch (error) {
      if (error instanceof RE2JSException) return undefined;
      throw error;
    }
  };
}

async function wholeValue(regex: string): Promise<ValueTest | undefined> {
  // Alternatives of plain text, such as a|b, do not need the library.
  if (!/[\\.+*?()[\]{}^$]/.test(regex)) return (value) => regex.split('|').includes(value);
  return (await regexCompiler())(regex);
}

/** A missing label is an empty one. */
export async function labelTest(matchers: readonly Matcher[]): Promise<(labels: Labels) => boolean> {
  const tests = await Promise.all(
    matchers.map(async (of) => {
      const matches = of.isRegex ? await wholeValue(of.value) : (value: string) => value === of.value;
      if (matches === undefined) {
        throw new SvcError('guarded', `only the server can tell what ${formatMatcher(of)} matches`);
      }
      return (labels: Labels) => {
        const value = Object.hasOwn(labels, of.name) ? (labels[of.name] ?? '') : '';
        return matches(value) === of.isEqual;
      };
    }),
  );
  return (labels) => tests.every((test) => test(labels));
}

interface Reach {
  /** Whether it matches a missing label. An invalid expression may. */
  readonly empty: boolean;
  /** Whether it matches every other value. */
  readonly every: boolean;
  /** Whether it matches every value that begins with a letter or a digit. */
  readonly names: boolean;
}

/** A matcher that matches all of these is taken to match every value. */
const VALUES = [
  ...' !"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~é',
  '-aZ',
  'a1_:/. b',
];
/** `\b.*` matches all of these, and nearly every alert. */
const NAME = /^[a-z0-9]/i;

async function reachOf({ value, isRegex, isEqual }: Matcher): Promise<Reach> {
  if (!isRegex)
    return { empty: (value === '') === isEqual, every: !isEqual && value === '', names: !isEqual && value === '' };
  const matches = await wholeValue(value);
  if (matches === undefined) return { empty: true, every: false, names: false };
  return {
    empty: matches('') === isEqual,
    every: VALUES.every((one) => matches(one) === isEqual),
    names: VALUES.every((one) => !NAME.test(one) || matches(one) === isEqual),
  };
}

/** True only if the matcher certainly requires its label. */
export async function needsLabel(of: Matcher): Promise<boolean> {
  return !(await reachOf(of)).empty;
}

/** True if each matcher is negative, or accepts every name or a missing label. */
export async function isWide(matchers: readonly Matcher[]): Promise<boolean> {
  if (matchers.some(({ isEqual, isRegex, value }) => isEqual && !isRegex && value !== '')) return false;
  const reaches = await Promise.all(matchers.filter(({ isEqual, isRegex }) => isEqual && isRegex).map(reachOf));
  return reaches.every(({ empty, names }) => empty || names);
}

/** Warns of matchers that are probably a mistake. */
export async function matcherWarnings(matchers: readonly Matcher[]): Promise<string[]> {
  const judged = await Promise.all(matchers.map(async (of) => ({ of, ...(await reachOf(of)) })));
  return [
    ...contradictions(matchers),
    ...judged
      .filter(({ of, empty, every }) => of.isRegex && of.isEqual && empty && every)
      .map(({ of }) => `${formatMatcher(of)} matches everything`),
    ...judged
      .filter(({ of, empty }) => !of.isEqual && empty)
      .filter(({ of }) => !judged.some((other) => other.of.name === of.name && !other.empty))
      .map(({ of }) => `${formatMatcher(of)} also matches every alert without the label ${of.name}`),
  ];
}

function contradictions(matchers: readonly Matcher[]): string[] {
  const plain = matchers.filter(({ isRegex }) => !isRegex);
  const found = plain.flatMap((first, index) =>
    plain
      .filter((second, other) => {
        if (!first.isEqual || second.name !== first.name) return false;
        return second.isEqual ? other > index && second.value !== first.value : second.value === first.value;
      })
      .map((second) => `${formatMatcher(first)} and ${formatMatcher(second)} exclude each other: nothing can match`),
  );
  return [...new Set(found)];
}
