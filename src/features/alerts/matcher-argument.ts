/**
 * Matchers on the command line: what the service's default grammar takes, but where that grammar would guess, a refusal
 * that shows the spelling to type. Name and value in double quotes always mean what they say.
 */
import { SvcError } from '../../errors.ts';
import { formatMatcher, type Matcher, matcher, OPERATORS, type Operator } from './matcher.ts';
import { MatcherSyntaxError, parseFallback, splitList } from './matcher-syntax.ts';

export interface MatcherArguments {
  readonly matchers: Matcher[];
  /** What was taken for something that was not spelled out, for the person to see. */
  readonly notices: string[];
}

/** Throws `invalid_value` (exit 2). Several arguments, and the items of one `{…}` list, all have to match. */
export function parseMatcherArguments(args: readonly string[]): MatcherArguments {
  const notices: string[] = [];
  const matchers = args.flatMap((text, index) => {
    if (index === 0 && BARE_NAME.test(text)) {
      const taken = matcher('alertname', '=', text);
      notices.push(`${text} taken as ${formatMatcher(taken)}`);
      return [taken];
    }
    return text.trimStart().startsWith('{') ? parseBraces(text) : [parseArgument(text)];
  });
  return { matchers, notices };
}

const EXAMPLE = `'name="value"'`;

/** Any text that cannot be meant as a matcher, a list of them or several names. */
const BARE_NAME = /^(?![\s[("'`])[^=!~{}",]+(?<!\s)$/;

function refused(text: string, why: string, hint: string): SvcError {
  return new SvcError('invalid_value', `matcher ${text.trim() === '' ? '""' : text.trim()}: ${why}`, { hint });
}

function parseBraces(text: string): Matcher[] {
  const trimmed = text.trim();
  if (!trimmed.endsWith('}'))
    throw refused(text, 'the list is not closed', `write '{name="value",other=~"regex"}' as one argument`);
  const items = splitList(trimmed.slice(1, -1));
  if (items.length === 0) throw refused(text, 'the list is empty', `write '{name="value"}'`);
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

function parseArgument(text: string): Matcher {
  const selector = /^\s*([a-zA-Z_:][\w:]*)\s*(\{.*\})\s*$/s.exec(text);
  if (selector !== null) {
    const [, metric = '', list = ''] = selector;
    const hint = `write ${spelled('alertname', '=', metric)} and ${inShell(list)} as two arguments`;
    throw refused(text, 'a name before a list is not taken', hint);
  }
  const parts = partsOf(text);
  if (parts === undefined) {
    if (text.trim() === '') throw refused(text, 'is empty', `write ${EXAMPLE}`);
    throw refused(text, 'has no operator (= != =~ !~)', `write ${spelled('alertname', '=', text.trim())}`);
  }
  if (parts.name === '') throw refused(text, 'has no label name', `write ${EXAMPLE}`);
  refuseOperator(text, parts);
  refuseBrackets(text, parts);
  refuseShellQuotes(text, parts);
  refuseSeveral(text, parts);
  try {
    return parseFallback(text);
  } catch (error) {
    if (!(error instanceof MatcherSyntaxError)) throw error;
    throw refused(text, reasonOf(text), `write ${spelled(parts.name, parts.operator, parts.value)}`);
  }
}

/** The canonical spelling of what was probably meant. */
function spelled(name: string, operator: string, value: string): string {
  return literally(name, operator, withoutQuotes(value));
}

/** The canonical spelling, in the quotes that keep a shell from taking its double quotes away. */
function literally(name: string, operator: string, value: string): string {
  return inShell(formatMatcher(matcher(name, operator as Operator, value)));
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function reasonOf(text: string): string {
  if (text.endsWith('}')) return 'a value that ends with } needs double quotes';
  if (text.includes('"')) return 'the double quotes are not balanced, or one inside is not escaped';
  return 'a label name like this needs double quotes';
}

function refuseOperator(text: string, { name, operator, value }: Parts): void {
  if (OPERATORS.some((known) => known === operator)) return;
  const meant = `${operator.includes('!') ? '!' : '='}${operator.includes('~') ? '~' : operator.includes('!') ? '=' : ''}`;
  // The server would take the first operator and leave the rest to the value: the other spelling that may be meant.
  const [literal] = /^(?:=~|=|!=|!~)/.exec(operator) ?? [];
  const rest = literal === undefined ? '' : operator.slice(literal.length).trimStart();
  const other =
    rest === ''
      ? ''
      : ` If the value starts with ${rest}, write ${literally(name, literal ?? '=', rest + withoutQuotes(value))}`;
  throw refused(text, `there is no operator ${operator}`, `did you mean ${spelled(name, meant, value)}?${other}`);
}

function refuseBrackets(text: string, { name, operator, value }: Parts): void {
  const bracket = /^\s*([[(])/.exec(text)?.[1];
  if (bracket === undefined) return;
  const bare = spelled(name.slice(1).trim(), operator, value.replace(/[\])]$/, ''));
  const hint = `write ${bare}; if the name starts with ${bracket}, write ${literally(name, operator, value)}`;
  throw refused(text, 'brackets around a matcher are not taken', hint);
}

function refuseShellQuotes(text: string, { name, operator, value }: Parts): void {
  if (!/^(['`]).*\1$/s.test(value) || value.length < 2) return;
  const literal = literally(name, operator, value);
  const hint = `write ${spelled(name, operator, value)}; if the quotes belong to the value, write ${literal}`;
  throw refused(text, "the shell's quotes were passed through", hint);
}

function refuseSeveral(text: string, { name, operator, value }: Parts): void {
  const items = splitList(text);
  const [first = '', ...others] = items;
  const literal = literally(name, operator, value);
  if (others.length === 0 && first !== text) {
    const bare = spelled(name, operator, value.replace(/,$/, '').trimEnd());
    const hint = value.startsWith('"')
      ? `write ${bare}`
      : `write ${bare}; if the comma belongs to the value, write ${literal}`;
    throw refused(text, 'ends with a comma', hint);
  }
  const matchers = items.map(partsOf);
  if (!matchers.slice(1).some((parts) => parts !== undefined && parts.name !== '')) return;
  const spellings = matchers.map((parts) =>
    parts === undefined ? '' : spelled(parts.name, parts.operator, parts.value),
  );
  const several = spellings.includes('') ? 'write each matcher' : `write ${spellings.join(' and ')}`;
  const other = value.startsWith('"') ? '' : `; if the comma belongs to the value, write ${literal}`;
  throw refused(text, 'these are several matchers in one argument', `${several} as separate arguments${other}`);
}
