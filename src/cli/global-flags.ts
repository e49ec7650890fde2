/** The options that every command takes, and those that go with a remote service or with a write. */
import { FORMATS } from '../output/types.ts';
import type { Command } from './command.ts';
import type { Flags } from './flags.ts';

export const GLOBAL_FLAGS = {
  output: { type: 'choice', short: 'o', value: 'format', choices: FORMATS, help: 'How the value is printed' },
  json: { type: 'boolean', help: 'Same as -o json' },
  fields: { type: 'string', list: true, value: 'a,b.c', help: 'Only these fields of each item' },
  query: { type: 'string', value: 'expression', help: 'A JMESPath expression applied to the value' },
  columns: { type: 'string', list: true, value: 'a,b', help: 'Which columns, in this order (table, wide, csv, tsv)' },
  headers: { type: 'boolean', default: true, help: 'No header line (table, wide, csv, tsv)' },
  sort: {
    type: 'string',
    repeat: true,
    value: '[-]key',
    help: 'Sort a list by a column or field, - for descending; the first key takes precedence',
  },
  time: {
    type: 'choice',
    value: 'how',
    choices: ['relative', 'utc', 'local', 'iso'],
    help: 'How times are shown in tables',
  },
  quiet: { type: 'boolean', short: 'q', help: 'Print ids only, and no notices' },
  verbose: { type: 'boolean', short: 'v', help: 'One line per request on stderr' },
  debug: { type: 'boolean', help: 'Headers and bodies of each request on stderr, redacted' },
  color: { type: 'choice', value: 'when', choices: ['auto', 'always', 'never'], help: 'When to use colour' },
  input: { type: 'boolean', default: true, help: 'Never ask; a missing value is an error' },
  profile: { type: 'string', value: 'name', complete: 'profiles', help: 'The profile to take settings from' },
  help: { type: 'boolean', short: 'h', help: 'Show this help' },
} as const satisfies Flags;

export const SERVICE_FLAGS = {
  'base-url': { type: 'string', value: 'url', help: 'Address of the service' },
  timeout: { type: 'duration', positive: true, help: 'Longest time for one request (default 30s)' },
  header: { type: 'string', repeat: true, value: "'Name: value'", help: 'An extra header that is no secret' },
  'header-file': {
    type: 'string',
    repeat: true,
    value: 'file',
    complete: 'files',
    help: 'Extra headers, one per line; never shown',
  },
  cacert: { type: 'string', value: 'file', complete: 'files', help: 'Trust the certificates in this PEM file too' },
  cert: { type: 'string', value: 'file', complete: 'files', help: 'Client certificate (PEM)' },
  key: { type: 'string', value: 'file', complete: 'files', help: "The client certificate's key (PEM)" },
  insecure: { type: 'boolean', help: 'Do not check certificates; allow a credential over plain http' },
} as const satisfies Flags;

export const WRITE_FLAGS = {
  'dry-run': {
    type: 'optional-value',
    choices: ['curl'],
    help: 'Print the request (or a curl line) instead of sending it',
  },
  yes: { type: 'boolean', short: 'y', help: 'Do not ask for confirmation' },
} as const satisfies Flags;

/** Of `svc help`. */
export const HELP_FLAGS = {
  format: { type: 'choice', choices: ['text', 'json'], default: 'text', help: 'Text to read, or data' },
} as const satisfies Flags;

/** Whether it talks to one remote service, and so takes the options that go with one. */
export function isRemote({ service, callOf }: Pick<Command, 'service' | 'callOf'>): boolean {
  return service !== undefined || callOf !== undefined;
}

/** The sections of a command's options, as its help shows them. */
export function flagSections(command: Command): readonly { readonly title: string; readonly flags: Flags }[] {
  const own = { ...command.flags, ...(command.effect === 'read' ? {} : WRITE_FLAGS) };
  return [
    { title: 'Options', flags: own },
    ...(!isRemote(command) ? [] : [{ title: 'Service options', flags: SERVICE_FLAGS }]),
    { title: 'Global options', flags: GLOBAL_FLAGS },
  ];
}

export function allFlags(command: Command): Flags {
  return Object.assign({}, ...flagSections(command).map((section) => section.flags));
}
