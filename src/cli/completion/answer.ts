/**
 * `svc __complete matching=<word at the cursor> <word before it>…`: what the shells ask for.
 *
 * The first line of the answer says what is completed (`values`, `options`, `files`, `any`,
 * `command`), then a tab and how the word begins before the value (`--output=`); after `command`,
 * how many words the other line has so far. Further lines are values, a tab before the note. `all=`
 * in place of `matching=` also answers values that do not begin with the word.
 */
import type { Context } from '../../context.ts';
import { escapeText } from '../../output/escape.ts';
import { SETTING_KEYS } from '../../store/setting-keys.ts';
import { profileNames, readSettingsFile, settingsPath } from '../../store/settings.ts';
import type { Candidate } from '../flags.ts';
import { sameNoun, VERBS } from '../grammar.ts';
import type { Model, Option, Place, Values } from './model.ts';

type Files = Pick<Context, 'paths'>;

interface Answer {
  readonly kind: 'values' | 'options' | 'files' | 'any' | 'command';
  readonly before?: string;
  readonly candidates: readonly Candidate[];
}

/** Never fails: <Tab> must not report a broken file. */
export function answerCompletion(argv: readonly string[], model: Model, context: Files): string {
  const [, mode, current] = /^(matching|all)=(.*)$/s.exec(argv[0] ?? '') ?? [];
  if (current === undefined) return '';
  try {
    const { kind, before = '', candidates } = findAnswer(model, argv.slice(1), current, context);
    const typed = mode === 'all' || kind === 'command' ? '' : current.slice(before.length);
    const lines = candidates
      .filter(({ value }) => value.startsWith(typed) && value !== '' && escapeText(value) === value)
      .map(({ value, note }) => (note === undefined ? value : `${value}\t${shortenNote(note)}`));
    return [`${kind}\t${before}`, ...lines, ''].join('\n');
  } catch {
    return '';
  }
}

const NOTE_WIDTH = 80;

function shortenNote(note: string): string {
  const characters = [...escapeText(note)];
  return characters.length <= NOTE_WIDTH ? characters.join('') : `${characters.slice(0, NOTE_WIDTH - 1).join('')}…`;
}

function findAnswer(model: Model, previous: readonly string[], current: string, context: Files): Answer {
  const { place, option, literal, operands } = findPlace(model, previous);
  if (option !== undefined) return answerValues(option.values, '', current, context);
  if (literal && place.commandLine) return { kind: 'command', before: String(operands), candidates: [] };
  if (!literal && current.startsWith('-')) {
    const [, name = current, equals = ''] = /^(--[^=]*)(=?)/s.exec(current) ?? [];
    if (equals !== '') return answerValues(findOption(model, place, name)?.values, `${name}=`, current, context);
    const options = optionsAt(model, place).flatMap(({ names, help }) => names.map((value) => ({ value, note: help })));
    return { kind: 'options', candidates: options };
  }
  const names = operands === 0 && !literal ? namesAt(place, current) : [];
  const values = place.operands[operands] ?? (place.repeats ? place.operands.at(-1) : undefined);
  const answer = answerValues(values, '', current, context);
  return names.length === 0
    ? answer
    : { kind: answer.kind === 'files' ? 'files' : 'values', candidates: [...names, ...answer.candidates] };
}

interface Reached {
  readonly place: Place;
  /** The option whose value is at the cursor. */
  readonly option: Option | undefined;
  /** Whether `--` was typed. */
  readonly literal: boolean;
  /** How many operands were typed, or words of another program's command line. */
  readonly operands: number;
}

/** Where the words before the cursor lead. */
function findPlace(model: Model, previous: readonly string[]): Reached {
  let position: Position = { at: '', option: undefined, literal: false, operands: 0 };
  for (const word of previous) position = positionAfter(word, position, model);
  return { ...position, place: placeAt(model, position.at) };
}

interface Position extends Omit<Reached, 'place'> {
  /** The name of the place. */
  readonly at: string;
}

function positionAfter(word: string, position: Position, model: Model): Position {
  const { at, option, literal, operands } = position;
  if (option !== undefined) return { ...position, option: undefined };
  if (literal) return { ...position, operands: operands + 1 };
  const place = placeAt(model, at);
  if (word === '--') return { ...position, literal: true, operands: place.commandLine ? 0 : operands };
  if (/^-./s.test(word)) return { ...position, option: awaitingValue(model, place, word) };
  const next = operands === 0 ? nextPlace(model, at, word) : undefined;
  return next === undefined ? { ...position, operands: operands + 1 } : { ...position, at: next };
}

function placeAt(model: Model, name: string): Place {
  return model.places[name] as Place;
}

/** The name of the place that a word leads to, if it is a name of the place `at`. */
function nextPlace(model: Model, at: string, word: string): string | undefined {
  const { next } = placeAt(model, at);
  const known = Object.keys(next);
  const name =
    [word, VERBS[word] ?? word].find((one) => known.includes(one)) ?? known.find((one) => sameNoun(one, word));
  if (name === undefined) return undefined;
  const to = next[name]?.to ?? `${at} ${name}`.trimStart();
  return Object.hasOwn(model.places, to) ? to : undefined;
}

/** The option of `--output`, or the last of `-qo`, if the next word is its value. */
function awaitingValue(model: Model, place: Place, word: string): Option | undefined {
  const waits = (name: string): Option | undefined => {
    const option = findOption(model, place, name);
    return option?.values === undefined || option.values.kind === 'attached' ? undefined : option;
  };
  if (word.startsWith('--')) return waits(word);
  const letters = [...word.slice(1)];
  const first = letters.findIndex((letter) => waits(`-${letter}`) !== undefined);
  return first === letters.length - 1 ? waits(`-${letters[first]}`) : undefined;
}

/** A command's own options precede global ones. */
function findOption(model: Model, place: Place, name: string): Option | undefined {
  return [...place.options, ...model.writeOptions, ...model.serviceOptions, ...model.globalOptions].find(({ names }) =>
    names.includes(name),
  );
}

function optionsAt({ serviceOptions, globalOptions }: Model, { options, remote }: Place): readonly Option[] {
  return [...options, ...(remote ? serviceOptions : []), ...globalOptions];
}

/** Matching names, or, if there are none, matching aliases. */
function namesAt({ next }: Place, typed: string): Candidate[] {
  const entries = Object.entries(next);
  const matches = entries.some(([name, { alias }]) => !alias && name.startsWith(typed));
  for (const [verb, name] of Object.entries(VERBS)) {
    const target = next[name];
    if (target !== undefined && next[verb] === undefined) entries.push([verb, { ...target, alias: true }]);
  }
  return entries
    .filter(([, { alias }]) => !alias || !matches)
    .map(([value, { help }]) => ({ value, ...(help === '' ? {} : { note: help }) }));
}

/** `before` is what the word at the cursor has before its value: `--output=`. */
function answerValues(values: Values | undefined, before: string, current: string, context: Files): Answer {
  if (values === undefined) return { kind: 'values', before, candidates: [] };
  if ('choices' in values) return { kind: 'values', before, candidates: values.choices.map((value) => ({ value })) };
  const { kind } = values;
  if (kind === 'files' || kind === 'any') return { kind, before, candidates: [] };
  // A name that begins with a dash would be parsed as an option: only offered after a dash.
  const mayDash = current.slice(before.length).startsWith('-');
  const candidates = localCandidates(kind, context).filter(({ value }) => mayDash || !value.startsWith('-'));
  return { kind: 'values', before, candidates };
}

export function localCandidates(source: 'settings' | 'profiles', { paths }: Files): readonly Candidate[] {
  return source === 'settings'
    ? SETTING_KEYS.map(({ key, help }) => ({ value: key, note: help }))
    : profileNames(readSettingsFile(settingsPath(paths)).document).map((value) => ({ value }));
}
