/** The keys, and the line at the bottom of the screen where a filter or a silence is typed. */
import { faultOf } from '../../../cli/wizard.ts';
import { parseDuration } from '../../../duration.ts';
import type { Alert } from '../schema.ts';
import { acknowledging, type CommandLine, silencing } from './command-lines.ts';

const SEQUENCES: Readonly<Record<string, string>> = {
  '\u001b[A': 'up',
  '\u001b[B': 'down',
  '\u001b[C': 'right',
  '\u001b[D': 'left',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
  '\u001b[H': 'home',
  '\u001b[1~': 'home',
  '\u001b[F': 'end',
  '\u001b[4~': 'end',
  '\u001b[3~': 'delete',
  '\u001b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0001': 'home',
  '\u0005': 'end',
  '\u0015': 'clear',
};

/** The name of the key or its character; undefined if it has no meaning here. */
export function keyOf(sequence: string): string | undefined {
  // Keypads in application mode send O in place of [.
  const name = SEQUENCES[sequence.replace(/^\u001bO/, '\u001b[')];
  if (name !== undefined) return name;
  return [...sequence].length === 1 && !/\p{C}/u.test(sequence) ? sequence : undefined;
}

export interface Line {
  readonly before: string;
  readonly after: string;
}

export function lineOf(text: string): Line {
  return { before: text, after: '' };
}

export function textOf({ before, after }: Line): string {
  return (before + after).trim();
}

const LAST_CHARACTER = /[\s\S]$/u;
const FIRST_CHARACTER = /^[\s\S]/u;

/** The line after a key. A key that means nothing here leaves it as it is. */
export function edited(line: Line, key: string): Line {
  const { before, after } = line;
  // Named keys have several letters; a character is one code point.
  if ([...key].length === 1) return { before: before + key, after };
  const [last = ''] = LAST_CHARACTER.exec(before) ?? [];
  const [first = ''] = FIRST_CHARACTER.exec(after) ?? [];
  const back = before.slice(0, before.length - last.length);
  switch (key) {
    case 'left':
      return { before: back, after: last + after };
    case 'right':
      return { before: before + first, after: after.slice(first.length) };
    case 'home':
      return { before: '', after: before + after };
    case 'end':
      return { before: before + after, after: '' };
    case 'backspace':
      return { before: back, after };
    case 'delete':
      return { before, after: after.slice(first.length) };
    case 'clear':
      return { before: '', after };
    default:
      return line;
  }
}

export interface Typing {
  readonly kind: 'typing';
  readonly field: 'filter' | 'acknowledge' | 'matchers' | 'duration' | 'comment';
  readonly line: Line;
  /** What the action is about. */
  readonly alerts?: readonly Alert[];
  /** Of a silence: what was typed before. */
  readonly matchers?: readonly string[];
  readonly duration?: string;
  /** What the silence would mute. */
  readonly preview?: readonly string[];
  /** Why the line cannot be used. */
  readonly fault?: string | undefined;
}

/** What a key leads to: the line goes on, or is given up, or was entered. */
type Typed =
  | Typing
  | { readonly kind: 'cancel' }
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'preview'; readonly text: string; readonly alerts: readonly Alert[] }
  | { readonly kind: 'run'; readonly line: CommandLine };

export const QUESTIONS: Readonly<Record<Typing['field'], string>> = {
  filter: 'Filter by text:',
  acknowledge: 'Acknowledge for 15m, comment (may be empty):',
  matchers: 'Silence alerts that match:',
  duration: 'For how long:',
  comment: 'Comment:',
};

const USUAL_DURATION = '1h';

/** The command line that Enter would run, as far as it is known. */
export function lineSoFar({ field, alerts = [], line, matchers = [], duration = '' }: Typing): CommandLine | undefined {
  const text = textOf(line);
  if (field === 'acknowledge') return acknowledging(alerts, text);
  if (field === 'duration') return silencing({ matchers, duration: text, comment: '…' });
  return field === 'comment' ? silencing({ matchers, duration, comment: text }) : undefined;
}

export function pressInLine(typing: Typing, key: string): Typed {
  if (key === 'escape') return { kind: 'cancel' };
  return key === 'enter' ? enter(typing) : { ...typing, line: edited(typing.line, key), fault: undefined };
}

function enter(typing: Typing): Typed {
  const text = textOf(typing.line);
  const fault = faultOfLine(typing.field, text);
  if (fault !== undefined) return { ...typing, fault };
  if (typing.field === 'filter') return { kind: 'filter', text };
  if (typing.field === 'matchers') return { kind: 'preview', text, alerts: typing.alerts ?? [] };
  if (typing.field === 'duration') return { ...typing, field: 'comment', line: lineOf(''), duration: text };
  const line = lineSoFar(typing);
  return line === undefined ? typing : { kind: 'run', line };
}

function faultOfLine(field: Typing['field'], text: string): string | undefined {
  if (field === 'duration')
    return faultOf(() => parseDuration(text)) ?? (parseDuration(text) > 0 ? undefined : 'must be longer than zero');
  if (field === 'matchers' && text === '') return 'at least one matcher is required';
  return field === 'comment' && text === '' ? 'a comment is required' : undefined;
}

/** The next field after matchers that were understood. */
export function enterDuration(typing: Typing, found: Required<Pick<Typing, 'matchers' | 'preview'>>): Typing {
  const { matchers, preview } = found;
  return { ...typing, field: 'duration', line: lineOf(USUAL_DURATION), matchers, preview, fault: undefined };
}
