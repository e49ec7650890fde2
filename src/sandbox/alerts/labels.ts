/** Label sets, and the matchers that select them, as version 0.25 parses them. Shares no code with svc's own parser. */
import { createHash } from 'node:crypto';
import { RE2JS, RE2JSException } from 're2js';
import { Refusal } from '../http.ts';

export type LabelSet = Readonly<Record<string, string>>;

/** An error of the service itself: a JSON text. */
export function refuse(status: number, message: string): Refusal {
  return new Refusal(status, message);
}

/** The same text for the same labels in any order. Label sets are sorted by it. */
export function canonical(labels: LabelSet): string {
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([entries.length, ...entries]);
}

/** 16 hexadecimal digits. */
export function fingerprint(labels: LabelSet): string {
  return createHash('sha256').update(canonical(labels)).digest('hex').slice(0, 16);
}

export interface Matcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

export type Match = (labels: LabelSet) => boolean;

const FORM = /^\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(=~|=|!=|!~)\s*([\s\S]*?)\s*$/;

export function parseMatcher(text: string): Matcher {
  const [, name = '', operator, raw = ''] = FORM.exec(text) ?? [];
  if (operator === undefined) throw refuse(400, `bad matcher format: ${text}`);
  const form = /^"((?:\\[\s\S]|[^"\\])*)"$|^((?:\\[\s\S]|[^"\\]|\\$)*)$/.exec(raw);
  if (form === null) throw refuse(400, `matcher value contains unescaped double quote: ${raw}`);
  const value = (form[1] ?? form[2] ?? '').replace(/\\([n"\\])/g, (_, char) => (char === 'n' ? '\n' : char));
  return { name, value, isRegex: operator.endsWith('~'), isEqual: operator.startsWith('=') };
}

/** Matches a complete text with an RE2 expression. */
export function compileRegex(pattern: string): (text: string) => boolean {
  try {
    const expression = RE2JS.compile(`^(?:${pattern})$`);
    return (text) => expression.test(text);
  } catch (error) {
    if (error instanceof RE2JSException) throw refuse(400, error.message);
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
