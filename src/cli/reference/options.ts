/** Options as plain data, and how help, the reference and the manual show them. */
import { type Flag, type Flags, placeholder } from '../flags.ts';

export type OptionNode = ReturnType<typeof optionNode>;

export function optionNodes(flags: Flags): OptionNode[] {
  return Object.entries(flags)
    .filter(([, flag]) => flag.hidden !== true)
    .map(([name, flag]) => optionNode(name, flag));
}

function optionNode(name: string, flag: Flag) {
  return {
    /** Without dashes; `negated` options are typed with `--no-`. */
    name,
    short: flag.short ?? null,
    type: flag.type,
    help: flag.help,
    /** The placeholder of the value in help. */
    value: flag.type === 'boolean' ? null : placeholder(name, flag),
    required: 'required' in flag && flag.required === true,
    repeat: 'repeat' in flag && flag.repeat === true,
    negated: flag.type === 'boolean' && flag.default === true,
    choices: 'choices' in flag ? (flag.choices ?? null) : null,
    default: 'default' in flag ? (flag.default ?? null) : null,
    min: 'min' in flag ? (flag.min ?? null) : null,
    max: 'max' in flag ? (flag.max ?? null) : null,
    /** What a bare duration means as a time. */
    bare: flag.type === 'time' ? flag.bare : null,
  };
}

/** `-o, --output <format>`, `--no-headers`, `--dry-run[=curl]`. */
export function optionUsage({ name, short, type, negated, value, choices }: OptionNode): string {
  const dashes = short === null ? '' : `-${short}, `;
  if (type === 'boolean') return `${dashes}--${negated ? 'no-' : ''}${name}`;
  if (type === 'optional-value') return `${dashes}--${name}[=${choices?.join('|') ?? value?.replace(/^<|>$/g, '')}]`;
  return `${dashes}--${name} ${value}`;
}

/** Help does not list more choices than this: another command or topic does. */
const MOST_CHOICES = 12;

/** Notes on the value in help. */
export function optionNotes({ type, choices, default: preset, repeat, required }: OptionNode): string[] {
  return [
    ...(type === 'choice' && choices !== null && choices.length <= MOST_CHOICES ? [choices.join(', ')] : []),
    ...(repeat || type === 'pairs' ? ['repeatable'] : []),
    ...(required ? ['required'] : []),
    ...(preset === null || type === 'boolean' ? [] : [`default ${preset}`]),
  ];
}

/** Additional notes for the reference and the manual. */
export function fullNotes(option: OptionNode): string[] {
  const { bare } = option;
  return [
    ...optionNotes(option),
    ...rangeNotes(option),
    ...(bare === null ? [] : [`2h is ${bare === 'back' ? '2h ago' : 'in 2h'}`]),
  ];
}

function rangeNotes({ min, max }: OptionNode): string[] {
  if (min !== null && max !== null) return [`${min} to ${max}`];
  if (max !== null) return [`at most ${max}`];
  return min === null ? [] : [`at least ${min}`];
}

export function withNotes(help: string, notes: readonly string[]): string {
  return notes.length === 0 ? help : `${help} (${notes.join('; ')})`;
}

/** The help of an argument with its permitted values. */
export function argumentText(argument: { readonly help: string; readonly choices?: readonly string[] | null }): string {
  const { help, choices } = argument;
  return withNotes(help, choices ? [choices.join(', ')] : []);
}
