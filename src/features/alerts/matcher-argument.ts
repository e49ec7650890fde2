/**
 * Matchers on the command line: what the service's default grammar takes, but where that grammar would guess, a refusal
 * that shows the spelling to type. Name and value in double quotes always mean what they say.
 */
import { SvcError } from '../../errors.ts';
import { formatMatcher, type Matcher, matcher, OPERATORS, type Operator, parseFallback, splitList } from './matcher.ts';

/** Any text that cannot be meant as a matcher, a list of them or several names. */
const BARE_NAME = /^(?![\s[("'`])[^=!~{}",]+(?<!\s)$/;

/**
 * Several arguments, and the items of one `{…}` list, all have to match. `notice` says what a bare word was taken for.
 * Throws `invalid_value` (exit 2).
 */
export function parseMatcherArguments(args: readonly string[], notice: (text: string) => void = () => {}): Matcher[] {
  return args.flatMap((text, index) => {
    if (index === 0 && BARE_NAME.test(text)) {
      const taken = matcher('alertname', '=', text);
      notice(`${text} taken as ${formatMatcher(taken)}`);
      return [taken];
    }
    return text.trimStart().startsWith('{') ? parseBraces(text.trim()) : [parseArgument(text)];
  });
}

const EXAMPLE = `'name="value"'`;

/** What the server would read is shown, too, where it is not what was probably meant. */
function refused(text: string, why: string, ...meant: readonly string[]): SvcError {
  const literal = parseFallback(text);
  const other = literal?.name ? inShell(formatMatcher(literal)) : '';
  return new SvcError('invalid_value', `matcher ${text || '""'}: ${why}`, {
    hint: `write ${meant.join(' and ')}${other === '' || meant.includes(other) ? '' : `; for the text as it is, write ${other}`}`,
  });
}

function parseBraces(text: string): Matcher[] {
  if (!text.endsWith('}')) throw refused(text, 'the list is not closed', `'{name="value",other=~"regex"}'`);
  const items = splitList(text.slice(1, -1));
  if (items.length === 0) throw refused(text, 'the list is empty', `'{name="value"}'`);
  return items.map(parseArgument);
}

/** The parts of what looks like a matcher, before any grammar judges it. */
interface Parts {
  readonly name: string;
  /** All operator characters in a row. */
  readonly operator: string;
  readonly value: string;
}

/** Blanks are taken off beside it: looked for in it, a long run of them would be gone through from each of its characters. */
const PARTS = /^(?:("(?:[^"\\]|\\.)*")\s*|([^=!~]*))([=!~](?:[=!~\s]*[=!~])?)(.*)$/s;

function partsOf(text: string): Parts | undefined {
  const [, quoted, bare = '', operator, value] = PARTS.exec(text.trim()) ?? [];
  if (operator === undefined || value === undefined) return undefined;
  return { name: withoutQuotes(quoted ?? bare.trimEnd()), operator, value: value.trimStart() };
}

/** Only for hints: the text without the quotes around it, of which one may be missing. */
function withoutQuotes(text: string): string {
  return text
    .replace(/^(["'`])(.*?)\1?$/s, '$2')
    .replace(/"$/, '')
    .replace(/\\(["\\])/g, '$1');
}

function parseArgument(untrimmed: string): Matcher {
  const text = untrimmed.trim();
  const [, metric, list = ''] = /^([a-zA-Z_:][\w:]*)\s*(\{.*\})$/s.exec(text) ?? [];
  if (metric !== undefined) {
    throw refused(text, 'a name before a list is not taken', spelled('alertname', '=', metric), inShell(list));
  }
  if (text === '') throw refused(text, 'is empty', EXAMPLE);
  const parts = partsOf(text);
  if (parts === undefined) throw refused(text, 'has no operator (= != =~ !~)', spelled('alertname', '=', text));
  const { name, operator, value } = parts;
  if (name === '') throw refused(text, 'has no label name', EXAMPLE);
  if (!OPERATORS.some((known) => known === operator)) {
    const negated = operator.includes('!');
    const meant = operator.includes('~') ? (negated ? '!~' : '=~') : negated ? '!=' : '=';
    throw refused(text, `there is no operator ${operator}`, spelled(name, meant, value));
  }
  if (/^[[(]/.test(text)) {
    const bare = spelled(name.slice(1).trim(), operator, value.replace(/[\])]$/, ''));
    throw refused(text, 'brackets around a matcher are not taken', bare);
  }
  if (/^(['`]).*\1$/s.test(value) && value.length > 1) {
    throw refused(text, "the shell's quotes were passed through", spelled(name, operator, value));
  }
  refuseSeveral(text, parts);
  const parsed = parseFallback(untrimmed);
  if (parsed === undefined) {
    throw refused(text, 'needs double quotes around its name and its value', spelled(name, operator, value));
  }
  return parsed;
}

function refuseSeveral(text: string, { name, operator, value }: Parts): void {
  const [first, ...others] = splitList(text);
  if (others.length === 0 && first !== text) {
    throw refused(text, 'ends with a comma', spelled(name, operator, value.replace(/,$/, '').trimEnd()));
  }
  const more = others.map(partsOf).filter((parts) => parts !== undefined && parts.name !== '');
  if (more.length === 0) return;
  const all = [partsOf(first ?? ''), ...more].filter((parts) => parts !== undefined);
  const spellings = all.map((parts) => spelled(parts.name, parts.operator, parts.value));
  throw refused(text, 'these are several matchers, and each has to be an argument of its own', ...spellings);
}

/** The canonical spelling of what was probably meant, in the quotes that keep a shell from taking its double quotes away. */
function spelled(name: string, operator: string, value: string): string {
  return inShell(formatMatcher(matcher(name, operator as Operator, withoutQuotes(value))));
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
