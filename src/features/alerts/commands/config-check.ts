import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Problem } from '../../../store/yaml.ts';
import { readRoutingConfig, readUtf8 } from '../routing/source.ts';

const UNCHECKED = 'templates and integrations were not checked (amtool check-config does that)';

export const alertsConfigCheck = listCommand({
  id: 'alerts config check',
  suggestFor: ['check-config'],
  summary: 'Check the routing in a configuration file',
  description:
    'Checks routes, receiver names, matchers, inhibition rules and time intervals as amtool check-config does, and exits 1 if anything is wrong. Global settings, templates and the integrations of receivers are not checked.',
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
  output: {
    kind: 'list',
    columns: [
      { name: 'line', cell: ({ line }: Problem) => line, align: 'right' },
      { name: 'column', cell: ({ column }) => column, align: 'right' },
      { name: 'problem', cell: ({ message }) => message },
    ],
    id: ({ line, column }) => `${line}:${column}`,
    empty: `the routing is valid; ${UNCHECKED}`,
  },
  async run({ file, serverVersion }, ctx) {
    const read = await readRoutingConfig(await readUtf8(file, ctx), checkedVersion(serverVersion));
    if ('config' in read) return { value: [] };
    return { value: read.problems, code: 'condition_false', footer: UNCHECKED };
  },
});

function checkedVersion(version: string | undefined): string | undefined {
  if (version === undefined || /^v?\d+\.\d+/.test(version)) return version;
  throw new SvcError('invalid_value', `--server-version: ${version} is not a version, such as 0.28.1`);
}
