/** Label sets and matchers as Alertmanager 0.25 parses them. This is not svc's own parser. */
import { createHash } from 'node:crypto';
import { RE2JS, RE2JSException } from 're2js';
import { Refusal } from '../http.ts';

export type LabelSet = Readonly<Record<string, string>>;

/** The order of the labels does not matter. The service sorts label sets by this text. */
export function canonicalText(labels: LabelSet): string {
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([entries.length, ...entries]);
}

export function fingerprintOf(labels: LabelSet): string {
  return createHash('sha256').update(canonicalText(labels)).digest('hex').slice(0, 16);
}

export interface Matcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

export type Match = (labels: LabelSet) => boolean;

const MATCHER = /^\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(=~|=|!=|!~)\s*([\s\S]*?)\s*$/;

export function parseMatcher(text: string): Matcher {
  const [, name = '', operator, raw = ''] = MATCHER.exec(text) ?? [];
  if (operator === undefined) throw new Refusal(400, `bad matcher format: ${text}`);
  const quotedOrBare = /^"((?:\\[\s\S]|[^"\\])*)"$|^((?:\\[\s\S]|[^"\\]|\\$)*)$/.exec(raw);
  if (quotedOrBare === null) throw new Refusal(400, `matcher value contains unescaped double quote: ${raw}`);
  const value = (quotedOrBare[1] ?? quotedOrBare[2] ?? '').replace(/\\([n"\\])/g, (_, char) =>
    char === 'n' ? '\n' : char,
  );
  return { name, value, isRegex: operator.endsWith('~'), isEqual: operator.startsWith('=') };
}

export function compileRegex(pattern: string): (text: string) => boolean {
  try {
    const expression = RE2JS.compile(`^(?:${pattern})$`);
    return (text) => expression.test(text);
  } catch (error) {
    if (error instanceof RE2JSException) throw new Refusal(400, error.message);
    throw error;
  }
}

/** True for label sets that satisfy the matchers; a missing label is empty. */
export function compileMatchers(matchers: readonly Matcher[]): Match {
  const tests = matchers.map(({ name, value, isRegex, isEqual }) => {
    const matches = isRegex ? compileRegex(value) : (text: string) => text === value;
    return (labels: LabelSet) => matches(Object.hasOwn(labels, name) ? (labels[name] ?? '') : '') === isEqual;
  });
  return (labels) => tests.every((test) => test(labels));
}
