/** The JSON schema of `trade session`, for the reference: commands from the declarations, events from trade-event.ts. */
import * as z from 'zod/mini';
import type { Group } from '../../../cli/command.ts';
import { loadCommands } from '../../../cli/command.ts';
import { type Arguments, type Flag, type Flags, repeatable } from '../../../cli/flags.ts';
import { lineShape } from './command-lines.ts';
import { SUBSCRIBE_ARGS } from './pushes.ts';
import { eventSchema } from './trade-event.ts';

interface Shape {
  readonly args?: Arguments;
  readonly flags?: Flags;
}

type Schema = Readonly<Record<string, unknown>>;

/** `group` is `trade`. */
export async function sessionSchema(group: Group): Promise<Schema> {
  const commands = (await loadCommands(group)).flatMap((command): [string, Shape][] => {
    const shape = lineShape(command);
    return shape === undefined ? [] : [[command.id.replace(/^trade /, ''), shape]];
  });
  const subscribe = { args: SUBSCRIBE_ARGS };
  const shapes: readonly (readonly [string, Shape])[] = [
    ...commands,
    ['subscribe', subscribe],
    ['unsubscribe', subscribe],
  ];
  const { $schema, ...event } = z.toJSONSchema(eventSchema(), { io: 'input' });
  return {
    $schema,
    title: 'svc trade session',
    description:
      'Each line of standard input is a command, each line of standard output (-o ndjson) an event. The lines of svc trade batch are the same commands, but subscribe and unsubscribe.',
    anyOf: [{ $ref: '#/$defs/command' }, { $ref: '#/$defs/event' }],
    $defs: { command: { anyOf: shapes.map(([name, shape]) => commandSchema(name, shape)) }, event },
  };
}

function commandSchema(name: string, { args = {}, flags = {} }: Shape): Schema {
  const options = Object.entries(flags).map(([flag, one]) => [flag, flagSchema(one)]);
  const operands = Object.entries(args).map(([arg, { help, repeat }]) => [
    arg,
    { description: help, ...oneOrMore({ type: ['string', 'number'] }, repeat === true) },
  ]);
  const required = [...Object.entries(args), ...Object.entries(flags)].filter(
    ([, one]) => 'required' in one && one.required === true,
  );
  return {
    type: 'object',
    properties: {
      id: { type: ['string', 'null'], description: "The caller's own name of this command, used once" },
      command: { const: name },
      ...Object.fromEntries([...operands, ...options]),
    },
    required: ['command', ...required.map(([field]) => field)],
    additionalProperties: false,
  };
}

/** Values are those of the command line, so a number may be written as a string. */
function flagSchema(flag: Flag): Schema {
  const { help: description } = flag;
  if (flag.type === 'boolean') return { description, type: 'boolean' };
  const isChoice = flag.type === 'choice';
  const value = isChoice
    ? { enum: [...flag.choices, ...Object.keys(flag.synonyms ?? {})] }
    : { type: ['string', 'number'] };
  return { description, ...oneOrMore(value, repeatable(flag)) };
}

function oneOrMore(value: Schema, isMany: boolean): Schema {
  return isMany ? { anyOf: [value, { type: 'array', items: value }] } : value;
}
