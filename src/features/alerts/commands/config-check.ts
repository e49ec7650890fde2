import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput, Tone } from '../../../output/types.ts';
import { minorOf } from '../matcher.ts';
import type { RoutingConfig } from '../routing/config.ts';
import { readConfigFile, readRoutingConfig } from '../routing/source.ts';
import { walkRoutes } from '../routing/tree.ts';
import type { Problem } from '../routing/yaml.ts';

/** The newest release whose fields svc knows. */
const NEWEST_KNOWN = 34;

const UNCHECKED = 'templates and integrations were not checked (amtool check-config does that)';

interface Row extends Problem {
  /** The server loads a file with warnings. */
  readonly severity: 'error' | 'warning';
}

const TONES: Readonly<Record<Row['severity'], Tone>> = { error: 'bad', warning: 'warn' };

const PROBLEMS: ListOutput<Row> = {
  kind: 'list',
  columns: [
    { name: 'line', cell: ({ line }) => line, align: 'right' },
    { name: 'column', cell: ({ column }) => column, align: 'right' },
    { name: 'severity', cell: ({ severity }) => ({ text: severity, tone: TONES[severity] }) },
    { name: 'problem', cell: ({ message }) => message },
  ],
  id: ({ line, column }) => `${line}:${column}`,
};

export const alertsConfigCheck = listCommand({
  id: 'alerts config check',
  suggestFor: ['check-config'],
  summary: 'Check the routing in a configuration file',
  description:
    'Checks routes, receiver names, matchers, inhibition rules and time intervals as amtool check-config does, and exits 1 if anything is wrong. Warns about fields that svc does not know and routes that no alert can reach. Global settings, templates and the integrations of receivers are not checked.',
  details:
    'An unknown field is mistyped, or of a newer server: with --server-version, it is an error if svc knows the fields of that version.',
  effect: 'read',
  args: { file: { help: 'The configuration file (- for standard input)', required: true, complete: 'files' } },
  flags: {
    'server-version': { type: 'string', value: 'version', help: 'The version to be valid for (default the newest)' },
  },
  exits: ['condition_false'],
  examples: [
    { run: 'svc alerts config check alertmanager.yml', why: 'Check a file before you load it' },
    {
      run: 'svc alerts config check alertmanager.yml --server-version 0.25',
      why: 'By the rules of an older server, whose label names are ASCII',
    },
  ],
  output: PROBLEMS,
  async run({ file, serverVersion }, ctx) {
    const version = checkedVersion(serverVersion);
    const read = await readRoutingConfig((await readConfigFile(file, ctx)).text, version);
    const isKnown = version !== undefined && minorOf(version) <= NEWEST_KNOWN;
    const errors = [...(isKnown ? read.unknown : []), ...(read.problems ?? [])];
    const warnings = [...(isKnown ? [] : read.unknown), ...read.ignored];
    const value = [...rows(errors, 'error'), ...rows(warnings, 'warning')].sort((a, b) => a.line - b.line);
    if (errors.length > 0 || read.config === undefined)
      return { value, as: PROBLEMS, code: 'condition_false', footer: UNCHECKED };
    const valid = `the routing is valid: ${summaryOf(read.config)}; ${UNCHECKED}`;
    return value.length === 0 ? { value, as: { ...PROBLEMS, empty: valid } } : { value, as: PROBLEMS, footer: valid };
  },
});

function rows(problems: readonly Problem[], severity: Row['severity']): Row[] {
  return problems.map(({ line, column, message }) => ({ line, column, severity, message }));
}

/** It shows that the right file was read. */
function summaryOf({ route, receivers, inhibitRules, timeIntervals, templates }: RoutingConfig): string {
  return [
    counted([...walkRoutes(route)].length, 'route'),
    counted(receivers.length, 'receiver'),
    counted(inhibitRules.length, 'inhibit rule'),
    counted(timeIntervals.size, 'time interval'),
    counted(templates, 'template'),
  ].join(', ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function checkedVersion(version: string | undefined): string | undefined {
  if (version === undefined || /^v?\d+\.\d+/.test(version)) return version;
  throw new SvcError('invalid_value', `--server-version: ${version} is not a version, such as 0.28.1`);
}
