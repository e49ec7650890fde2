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

/** A matcher that matches all of these is taken to match every name. */
const NAMES = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 'a1_:/. b'];

/** True only if the matcher certainly requires its label. An invalid expression may match a missing one. */
export async function needsLabel({ value, isRegex, isEqual }: Matcher): Promise<boolean> {
  if (!isRegex) return (value === '') !== isEqual;
  const matches = await wholeValue(value);
  return matches !== undefined && matches('') !== isEqual;
}

/** True if each matcher is negative, or accepts every name or a missing label. */
export async function isWide(matchers: readonly Matcher[]): Promise<boolean> {
  for (const of of matchers) {
    if (of.isEqual && (await needsLabel(of)) && !(await matchesNames(of))) return false;
  }
  return true;
}

async function matchesNames({ value, isRegex }: Matcher): Promise<boolean> {
  const matches = isRegex ? await wholeValue(value) : undefined;
  return matches !== undefined && NAMES.every(matches);
}
