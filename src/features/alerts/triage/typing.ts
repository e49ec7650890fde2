/** The keys, and the line at the bottom of the screen where a filter or a label is typed. */
import { durationFault } from '../../../cli/wizard.ts';
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
  '\u0017': 'delete-word',
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
  return before + after;
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
    case 'delete-word':
      return { before: before.replace(/[^\s,]*[\s,]*$/u, ''), after };
    default:
      return line;
  }
}

export interface Typing {
  readonly kind: 'typing';
  readonly field: 'filter' | 'group' | 'acknowledge' | 'matchers' | 'duration' | 'comment';
  readonly line: Line;
  /** The alert that the action is about. */
  readonly alert?: Alert | undefined;
  /** Of a silence: what was typed before. */
  readonly matchers?: readonly string[];
  readonly duration?: string;
  /** What the silence would mute. */
  readonly preview?: readonly string[];
  /** Why the line cannot be used. */
  readonly fault?: string | undefined;
}

/** What Enter leads to where the line can be used. */
export type Done =
  | { readonly kind: 'filter'; readonly text: string }
  | { readonly kind: 'preview'; readonly text: string }
  | { readonly kind: 'group'; readonly label: string }
  | { readonly kind: 'run'; readonly line: CommandLine };

/** What a typed line turned out to mean. `text` is what was typed. */
export type TypingAnswer =
  | { readonly kind: 'fault'; readonly reason: string }
  | {
      readonly kind: 'previewed';
      readonly text: string;
      readonly matchers: readonly string[];
      readonly preview: readonly string[];
    };
type TypingEvent = TypingAnswer | { readonly kind: 'key'; readonly key: string };

export const QUESTIONS: Readonly<Record<Typing['field'], string>> = {
  filter: 'Filter (text, or matchers such as team=db):',
  group: 'Group by label (empty for no groups):',
  acknowledge: 'Acknowledge for 15m, comment (may be empty):',
  matchers: 'Silence alerts that match:',
  duration: 'For how long:',
  comment: 'Comment:',
};

const USUAL_DURATION = '1h';

/** The command line that Enter would run, as far as it is known. */
export function lineSoFar(typing: Typing): CommandLine | undefined {
  const { field, alert, line, matchers = [], duration = USUAL_DURATION } = typing;
  const text = textOf(line).trim();
  if (field === 'acknowledge' && alert !== undefined) return acknowledging(alert, text);
  if (field === 'duration') return silencing({ matchers, duration: text, comment: '…' });
  return field === 'comment' ? silencing({ matchers, duration, comment: text }) : undefined;
}

/** Undefined once it was given up. */
export function typed(typing: Typing, event: TypingAnswer): Typing;
export function typed(typing: Typing, event: TypingEvent): (Typing & { readonly done?: Done }) | undefined;
export function typed(typing: Typing, event: TypingEvent): (Typing & { readonly done?: Done }) | undefined {
  if (event.kind === 'fault') return { ...typing, fault: event.reason };
  if (event.kind === 'previewed') {
    // The user may have given up and begun again.
    if (typing.field !== 'matchers' || textOf(typing.line).trim() !== event.text) return typing;
    const { matchers, preview } = event;
    return { ...typing, field: 'duration', line: lineOf(USUAL_DURATION), matchers, preview, fault: undefined };
  }
  const { key } = event;
  if (key === 'escape') return undefined;
  return key === 'enter' ? entered(typing) : { ...typing, line: edited(typing.line, key), fault: undefined };
}

function entered(typing: Typing): Typing & { readonly done?: Done } {
  const text = textOf(typing.line).trim();
  switch (typing.field) {
    case 'filter':
      return { ...typing, done: { kind: 'filter', text } };
    case 'group':
      return { ...typing, done: { kind: 'group', label: text } };
    case 'matchers':
      if (text === '') return { ...typing, fault: 'at least one matcher is required' };
      return { ...typing, done: { kind: 'preview', text } };
    case 'duration': {
      const fault = durationFault(text);
      return fault === undefined
        ? { ...typing, field: 'comment', line: lineOf(''), duration: text }
        : { ...typing, fault };
    }
    default: {
      const line = lineSoFar(typing);
      if (typing.field === 'comment' && text === '') return { ...typing, fault: 'a comment is required' };
      return line === undefined ? typing : { ...typing, done: { kind: 'run', line } };
    }
  }
}
