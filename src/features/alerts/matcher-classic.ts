/** The service's classic grammar of one matcher, the only one before 0.27. Its words are those of the server's refusals. */
import { type Matcher, matcher, type Operator } from './matcher.ts';

export class MatcherSyntaxError extends Error {
  override readonly name = 'MatcherSyntaxError';
}

const BLANKS = '\t\n\f\r ';
// `\s` of the server's regular expressions is ASCII only.
const FORM = /^[\t\n\f\r ]*([a-zA-Z_:][a-zA-Z0-9_:]*)[\t\n\f\r ]*(=~|=|!=|!~)[\t\n\f\r ]*(.*)$/s;

/** Throws `MatcherSyntaxError`. Whether a regular expression is valid only the server can tell. */
export function parseClassic(input: string): Matcher {
  const [, name, operator, raw] = FORM.exec(input) ?? [];
  if (name === undefined || operator === undefined || raw === undefined) {
    throw new MatcherSyntaxError(`bad matcher format: ${input}`);
  }
  return matcher(name, operator as Operator, unescapeValue(withoutBlanks(raw)));
}

/** At its end. A regular expression would go through a run of blanks in its middle from each of them. */
function withoutBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function unescapeValue(raw: string): string {
  const quoted = raw.startsWith('"');
  const body = quoted ? raw.slice(1) : raw;
  const refused = () => new MatcherSyntaxError(`matcher value contains unescaped double quote: ${raw}`);
  let value = '';
  for (let i = 0; i < body.length; i++) {
    const char = body.charAt(i);
    const last = i === body.length - 1;
    if (char === '"') {
      if (!quoted || !last) throw refused();
      return value;
    }
    if (char === '\\' && !last) {
      const next = body.charAt(++i);
      if (next === 'n') value += '\n';
      else value += next === '"' || next === '\\' ? next : `\\${next}`;
    } else {
      value += char;
    }
  }
  if (quoted) throw refused();
  return value;
}

/** Splits at the commas outside double quotes. A last part that is blank is left out. */
export function splitList(list: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let inQuotes = false;
  for (let i = 0; i < list.length; i++) {
    const char = list.charAt(i);
    if (char === '\\') i++;
    else if (char === '"') inQuotes = !inQuotes;
    else if (char === ',' && !inQuotes) {
      parts.push(list.slice(start, i));
      start = i + 1;
    }
  }
  const rest = list.slice(start);
  return rest.trim() === '' ? parts : [...parts, rest];
}
