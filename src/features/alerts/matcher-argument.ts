/** Matchers on the command line, in the service's default grammar. Where that grammar guesses, svc refuses and shows what to type. */
import { SvcError } from '../../errors.ts';
import { formatMatcher, type Matcher, matcher, OPERATORS, type Operator, parseFallback, splitList } from './matcher.ts';

const BARE_NAME = /^(?![\s[("'`])[^=!~{}",]+(?<!\s)$/;

/** All arguments, and all items of a `{…}` list, must match. `notice` reports a first argument that is taken as an alert name. */
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

/** Labels as `name=value`. The first may be a bare alert name. */
export function parseLabels(args: readonly string[]): Record<string, string> {
  const labels = new Map<string, string>();
  for (const matcher of parseMatcherArguments(args)) {
    const { name, value, isRegex, isEqual } = matcher;
    const refused = (why: string) => new SvcError('invalid_value', why);
    if (isRegex || !isEqual) throw refused(`${formatMatcher(matcher)} is not a label: write name=value`);
    if (value === '') throw refused(`the label ${name} is empty`);
    if (labels.has(name)) throw refused(`the label ${name} is given twice`);
    labels.set(name, value);
  }
  return Object.fromEntries(labels);
}

const EXAMPLE = `'name="value"'`;

/** If the server would read the text in another way, the hint shows that too. */
function refused(text: string, why: string, ...meant: readonly string[]): SvcError {
  const literal = parseFallback(text);
  const other = literal?.name ? inShell(formatMatcher(literal)) : '';
  return new SvcError('invalid_value', `matcher ${text || '""'}: ${why}`, {
    hint: `write ${meant.join(' and ')}${other === '' || meant.includes(other) ? '' : `; for the literal text, write ${other}`}`,
  });
}

function parseBraces(text: string): Matcher[] {
  if (!text.endsWith('}')) throw refused(text, 'the list is not closed', `'{name="value",other=~"regex"}'`);
  const items = splitList(text.slice(1, -1));
  if (items.length === 0) throw refused(text, 'the list is empty', `'{name="value"}'`);
  return items.map(parseArgument);
}

interface Parts {
  readonly name: string;
  readonly operator: string;
  readonly value: string;
}

/** Blanks are trimmed outside: matching long runs of them here would take quadratic time. */
const PARTS = /^(?:("(?:[^"\\]|\\.)*")\s*|([^=!~]*))([=!~](?:[=!~\s]*[=!~])?)(.*)$/s;

function partsOf(text: string): Parts | undefined {
  const [, quoted, bare = '', operator, value] = PARTS.exec(text.trim()) ?? [];
  if (operator === undefined || value === undefined) return undefined;
  return { name: withoutQuotes(quoted ?? bare.trimEnd()), operator, value: value.trimStart() };
}

/** For hints: the text without the quotes around it, one of which may be missing. */
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
    throw refused(text, 'a name before a list is not supported', spelled('alertname', '=', metric), inShell(list));
  }
  if (text === '') throw refused(text, 'is empty', EXAMPLE);
  const parts = partsOf(text);
  if (parts === undefined) throw refused(text, 'has no operator (= != =~ !~)', spelled('alertname', '=', text));
  const { name, operator, value } = parts;
  if (name === '') throw refused(text, 'has no label name', EXAMPLE);
  if (!OPERATORS.some((known) => known === operator)) {
    const negated = operator.includes('!');
    const meant = operator.includes('~') ? (negated ? '!~' : '=~') : negated ? '!=' : '=';
    throw refused(text, `${operator} is not an operator`, spelled(name, meant, value));
  }
  if (/^[[(]/.test(text)) {
    const bare = spelled(name.slice(1).trim(), operator, value.replace(/[\])]$/, ''));
    throw refused(text, 'brackets around a matcher are not supported', bare);
  }
  if (/^(['`]).*\1$/s.test(value) && value.length > 1) {
    throw refused(text, 'the value is in single quotes', spelled(name, operator, value));
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
  throw refused(text, 'several matchers must be separate arguments', ...spellings);
}

/** What was probably meant, quoted for the shell. */
function spelled(name: string, operator: string, value: string): string {
  return inShell(formatMatcher(matcher(name, operator as Operator, withoutQuotes(value))));
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
