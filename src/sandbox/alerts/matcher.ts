/** Matchers as version 0.25 reads them in a filter. Written apart from svc's own parser, so that neither hides the other's mistakes. */
import { RE2JS, RE2JSException } from 're2js';
import { Refused } from './requests.ts';

export interface Matcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

export type Match = (labels: Readonly<Record<string, string>>) => boolean;

const FORM = /^[\t\n\f\r ]*([a-zA-Z_:][a-zA-Z0-9_:]*)[\t\n\f\r ]*(=~|=|!=|!~)[\t\n\f\r ]*([\s\S]*?)[\t\n\f\r ]*$/;

export function parseMatcher(text: string): Matcher {
  const [, name = '', operator, raw = ''] = FORM.exec(text) ?? [];
  if (operator === undefined) throw new Refused(400, `bad matcher format: ${text}`);
  // Bytes that are not UTF-8 became this character when the query was read.
  if (raw.includes('\ufffd')) throw new Refused(400, `matcher value not valid UTF-8: ${raw}`);
  const form = /^"((?:\\[\s\S]|[^"\\])*)"$|^((?:\\[\s\S]|[^"\\]|\\$)*)$/.exec(raw);
  if (form === null) throw new Refused(400, `matcher value contains unescaped double quote: ${raw}`);
  const value = (form[1] ?? form[2] ?? '').replace(/\\([n"\\])/g, (_, char) => (char === 'n' ? '\n' : char));
  return { name, value, isRegex: operator.endsWith('~'), isEqual: operator.startsWith('=') };
}

/** A test of a whole text, by an expression of RE2. */
export function compileRegex(pattern: string): (text: string) => boolean {
  try {
    // Go 1.19, of which version 0.25 is made, does not know `(?<name>`.
    if (/(?<!\\)\(\?</.test(pattern))
      throw new RE2JSException('error parsing regexp: invalid or unsupported Perl syntax: `(?<`');
    const expression = RE2JS.compile(`^(?:${pattern})$`);
    return (text) => expression.test(text);
  } catch (error) {
    if (error instanceof RE2JSException) throw new Refused(400, error.message);
    throw error;
  }
}

/** True for label sets that meet the matchers; a label that is absent is empty. */
export function compileMatchers(matchers: readonly Matcher[]): Match {
  const tests = matchers.map(({ name, value, isRegex, isEqual }) => {
    const matches = isRegex ? compileRegex(value) : (text: string) => text === value;
    return { name, isEqual, matches };
  });
  return (labels) => tests.every(({ name, isEqual, matches }) => matches(labels[name] ?? '') === isEqual);
}
