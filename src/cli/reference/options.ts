/** How options are told of, on pages and in the manual. */
import type { OptionNode } from './tree.ts';

/** `-o, --output <format>`, `--no-headers`, `--dry-run[=curl]`. */
export function optionUsage({ name, short, type, negated, value, choices }: OptionNode): string {
  const dashes = short === null ? '' : `-${short}, `;
  if (type === 'boolean') return `${dashes}--${negated ? 'no-' : ''}${name}`;
  if (type === 'optional-value') return `${dashes}--${name}[=${choices?.join('|') ?? value}]`;
  return `${dashes}--${name} ${value}`;
}

/** What is to be known of its value beside the help. */
export function optionNotes({
  type,
  choices,
  default: preset,
  min,
  max,
  bare,
  repeat,
  required,
}: OptionNode): string[] {
  return [
    ...(type === 'choice' && choices !== null ? [choices.join(', ')] : []),
    ...(max === null ? [] : [min === null ? `at most ${max}` : `${min} to ${max}`]),
    ...(bare === null ? [] : [`2h is ${bare === 'back' ? '2h ago' : 'in 2h'}`]),
    ...(repeat ? ['repeatable'] : []),
    ...(required ? ['required'] : []),
    ...(preset === null || type === 'boolean' ? [] : [`default ${preset}`]),
  ];
}
