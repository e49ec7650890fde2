/** The tables of the model as `case` functions that bash and zsh read alike. */
import type { Entry, Model, Values } from './model.ts';

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function arm(patterns: readonly string[], body: string): string {
  return `    ${patterns.join(' | ')}) ${body} ;;\n`;
}

/** A function of which the last arm fails. */
function lookup(name: string, subject: string, comment: string, arms: readonly string[]): string {
  return `# ${comment}\n${name}() {\n  case ${subject} in\n${arms.join('')}    *) return 1 ;;\n  esac\n}\n`;
}

export function posixTables({ steps, values, operands, commandLines }: Model): string {
  const places = [...new Set(steps.map(({ to }) => to))];
  return [
    lookup(
      '__svc_enter',
      '"$at $1"',
      'Goes from the place $at to where the word $1 leads.',
      places.map((place) => {
        const from = steps.filter(({ to }) => to === place).map((step) => quoted(`${step.from} ${step.word}`));
        return arm(from, `at=${quoted(place)}`);
      }),
    ),
    lookup(
      '__svc_value',
      '"$at $1"',
      'What the option $1 takes: sets kind, and choices where there are some.',
      values.map(({ place, names, values }) =>
        arm(
          names.map((name) => (place === undefined ? `*${quoted(` ${name}`)}` : quoted(`${place} ${name}`))),
          valuesAssignment(values),
        ),
      ),
    ),
    lookup(
      '__svc_operand',
      '"$at $1"',
      'What stands at the place $at as operand number $1: sets kind, and choices where there are some.',
      operands.map(({ place, index, values }) =>
        arm([index === undefined ? `${quoted(`${place} `)}*` : quoted(`${place} ${index}`)], valuesAssignment(values)),
      ),
    ),
    lookup(
      '__svc_command_line',
      '"$at"',
      'Whether a command line of its own stands after -- at the place $at.',
      commandLines.length === 0 ? [] : [arm(commandLines.map(quoted), 'return 0')],
    ),
  ].join('\n');
}

function valuesAssignment(values: Values): string {
  return 'choices' in values
    ? `kind=${values.kind} choices=(${values.choices.map(quoted).join(' ')})`
    : `kind=${values.kind}`;
}

/** `case` statements that do what `added` says for the options of the place $at: those of its own, and those it has in common. */
export function optionCases(options: Model['options'], added: (entries: readonly Entry[]) => string): string {
  const cases = (arms: readonly string[]): string =>
    arms.length === 0 ? '' : `  case "$at" in\n${arms.join('')}  esac\n`;
  const armed = options.map(({ places, options }) => ({
    alone: places?.length === 1,
    arm: arm(places?.map(quoted) ?? ['*'], added(options)),
  }));
  return [
    cases(armed.filter(({ alone }) => alone).map((one) => one.arm)),
    ...armed.filter(({ alone }) => !alone).map((one) => cases([one.arm])),
  ].join('');
}
