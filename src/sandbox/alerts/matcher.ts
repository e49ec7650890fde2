/** Matchers as version 0.25 reads them in a filter. Written apart from svc's own parser, so that neither hides the other's mistakes. */
import { compileRe2 } from './re2.ts';

export interface Matcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

export type Match = (labels: Readonly<Record<string, string>>) => boolean;

const FORM = /^[\t\n\f\r ]*([a-zA-Z_:][a-zA-Z0-9_:]*)[\t\n\f\r ]*(=~|=|!=|!~)[\t\n\f\r ]*([\s\S]*?)[\t\n\f\r ]*$/;

/** The matcher, or the server's complaint. */
export function parseMatcher(text: string): Matcher | string {
  const [, name = '', operator, raw = ''] = FORM.exec(text) ?? [];
  if (operator === undefined) return `bad matcher format: ${text}`;
  const quoted = raw.startsWith('"');
  const body = quoted ? raw.slice(1) : raw;
  // What was not UTF-8 became this character when the query was read.
  if (body.includes('\ufffd')) return `matcher value not valid UTF-8: ${raw}`;
  let value = '';
  let closed = !quoted;
  for (let at = 0; at < body.length; at++) {
    const char = body.charAt(at);
    const next = body.charAt(at + 1);
    if (char === '\\' && next !== '') {
      value += next === 'n' ? '\n' : next === '"' || next === '\\' ? next : `\\${next}`;
      at++;
    } else if (char === '"') {
      if (closed || next !== '') return `matcher value contains unescaped double quote: ${raw}`;
      closed = true;
    } else {
      value += char;
    }
  }
  if (!closed) return `matcher value contains unescaped double quote: ${raw}`;
  return { name, value, isRegex: operator.endsWith('~'), isEqual: operator.startsWith('=') };
}

/** True for label sets that meet the matcher; a label that is absent is empty. Or the complaint about its expression. */
export function compileMatcher({ name, value, isRegex, isEqual }: Matcher): Match | string {
  if (!isRegex) return (labels) => ((labels[name] ?? '') === value) === isEqual;
  const expression = compileRe2(`^(?:${value})$`);
  if (typeof expression === 'string') return expression;
  return (labels) => expression.test(labels[name] ?? '') === isEqual;
}

/** All of them at once, or the first complaint. */
export function compileMatchers(matchers: readonly Matcher[]): Match | string {
  const compiled: Match[] = [];
  for (const matcher of matchers) {
    const match = compileMatcher(matcher);
    if (typeof match === 'string') return match;
    compiled.push(match);
  }
  return (labels) => compiled.every((match) => match(labels));
}
