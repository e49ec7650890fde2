/** The options that commands share, and which of them a command has. */
import { SvcError } from '../errors.ts';
import { FORMATS } from '../output/types.ts';
import { FILE, type Flags, type Input } from './flags.ts';
import { zoneOf } from './time.ts';

export const GLOBAL_FLAGS = {
  output: {
    type: 'choice',
    short: 'o',
    value: 'format',
    choices: FORMATS,
    synonyms: { simple: 'table', extended: 'wide', jsonl: 'ndjson', yml: 'yaml' },
    help: 'Output format',
  },
  json: { type: 'boolean', help: 'Same as -o json' },
  fields: { type: 'string', list: true, value: 'a,b.c', help: 'Only these fields of each item' },
  query: { type: 'string', value: 'expression', help: 'Select with a JMESPath expression' },
  columns: { type: 'string', list: true, value: 'a,b', help: 'Columns to show, in order (table, wide, csv, tsv)' },
  headers: { type: 'boolean', default: true, help: 'No header line (table, wide, csv, tsv)' },
  sort: { type: 'string', repeat: true, value: '[-]key', help: 'Sort by a column or field; - for descending' },
  time: {
    type: 'choice',
    value: 'how',
    choices: ['relative', 'utc', 'local', 'iso'],
    help: 'Format of times in tables',
  },
  quiet: { type: 'boolean', short: 'q', help: 'Print only ids, and no notices' },
  verbose: { type: 'boolean', short: 'v', help: 'Print one line per request on stderr' },
  debug: { type: 'boolean', help: 'Print headers and bodies on stderr, redacted' },
  color: { type: 'choice', value: 'when', choices: ['auto', 'always', 'never'], help: 'When to use color' },
  'no-color': { type: 'boolean', help: 'Same as --color never' },
  input: { type: 'boolean', default: true, help: 'Never prompt; a missing value is an error' },
  profile: {
    type: 'string',
    value: 'name',
    complete: 'profiles',
    help: 'Profile to use; alerts and silences take several',
  },
  help: { type: 'boolean', short: 'h', help: 'Show this help' },
} as const satisfies Flags;

export const SERVICE_FLAGS = {
  'base-url': { type: 'string', aliases: ['alertmanager.url'], value: 'url', help: 'Address of the service' },
  timeout: { type: 'duration', positive: true, help: 'Request timeout (default 30s)' },
  header: { type: 'string', repeat: true, value: "'Name: value'", help: 'Add a request header (not for secrets)' },
  'header-file': { ...FILE, repeat: true, help: 'Add headers from a file, one per line; never shown' },
  cacert: { ...FILE, help: 'Additional CA certificates to trust (PEM)' },
  cert: { ...FILE, help: 'Client certificate (PEM)' },
  key: { ...FILE, help: 'Key of the client certificate (PEM)' },
  insecure: { type: 'boolean', help: 'Skip certificate checks; allow credentials over http' },
} as const satisfies Flags;

/** Options of commands that can run on several clusters; they also take several profiles. */
const CLUSTER_FLAGS = {
  'all-profiles': { type: 'boolean', help: 'Use every profile with an address of its own' },
} as const satisfies Flags;

export const WRITE_FLAGS = {
  'dry-run': { type: 'optional-value', choices: ['curl'], help: 'Print what would be sent or written; do nothing' },
  yes: { type: 'boolean', short: 'y', help: 'Do not ask for confirmation' },
} as const satisfies Flags;

/** Whose clock times, days and dates are meant. */
export const TZ_FLAG = {
  type: 'string',
  value: 'zone',
  check(name) {
    try {
      zoneOf(name);
    } catch {
      throw new SvcError('invalid_value', `there is no time zone ${JSON.stringify(name)}`, {
        hint: 'pass local, UTC, or a name such as Europe/Berlin',
      });
    }
  },
  help: 'Time zone of clock times (default local)',
} as const satisfies Flags[string];

/** Values of the shared options; those for services and writes only if the command takes them. */
export type GlobalInput = Omit<Input<Record<never, never>, typeof GLOBAL_FLAGS>, 'profile'> &
  Partial<Input<Record<never, never>, typeof SERVICE_FLAGS & typeof WRITE_FLAGS>> & {
    readonly profile?: string | readonly string[] | undefined;
    readonly allProfiles?: boolean;
    /** Not for a command's own --limit: for an order that is a price. */
    readonly limit?: unknown;
  };

/** The parts of a command that decide which options it takes. */
interface Optioned {
  readonly effect: string;
  readonly service?: unknown;
  readonly callOf?: unknown;
  readonly clusters?: unknown;
  readonly flags?: Flags;
}

/** Whether it calls one remote service and so takes the options of a service. */
export function isRemote({ service, callOf }: { readonly service?: unknown; readonly callOf?: unknown }): boolean {
  return service !== undefined || callOf !== undefined;
}

/** The options of some commands that `svc help options` lists instead of their pages. */
export const SOME_FLAGS: Flags = { tz: TZ_FLAG, ...CLUSTER_FLAGS };

/** Its options without those of every command and of every service. */
export function ownFlags({ effect, flags, clusters }: Optioned, { write = effect !== 'read' } = {}): Flags {
  // Those with dates have their own, or none.
  const isTimed = Object.values(flags ?? {}).some((flag) => flag.type === 'time' && !flag.dates);
  return {
    ...flags,
    ...(isTimed ? { tz: TZ_FLAG } : {}),
    ...(clusters === undefined ? {} : CLUSTER_FLAGS),
    ...(write ? WRITE_FLAGS : {}),
  };
}

export function allFlags(command: Optioned): Flags {
  const several: Flags = command.clusters === undefined ? {} : { profile: { ...GLOBAL_FLAGS.profile, repeat: true } };
  return { ...ownFlags(command), ...(isRemote(command) ? SERVICE_FLAGS : {}), ...GLOBAL_FLAGS, ...several };
}
