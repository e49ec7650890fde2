/** `svc help <topic>`: what concerns many commands. What lists something is made from the table that the code itself uses, or tested against it. */
import { EXIT_STATUSES } from '../errors.ts';
import type { Format } from '../output/types.ts';
import { SETTING_KEYS, type Setting, VARIABLES } from '../store/setting-keys.ts';
import { GLOBAL_FLAGS, SERVICE_FLAGS, WRITE_FLAGS } from './flags.ts';
import { HELP_WIDTH, optionRows, type Row, table, wrap } from './help.ts';

/** A paragraph, or under a title what may be typed and what it means. */
export type Block =
  | { readonly text: string; readonly rows?: undefined }
  | { readonly title: string; readonly rows: readonly Row[] };

export interface Topic {
  readonly name: string;
  readonly summary: string;
  /** An older name, which still works. */
  readonly formerly?: string;
  readonly blocks: readonly Block[];
}

const FORMAT_MEANINGS: Readonly<Record<Format, string>> = {
  table: 'lines for people; on a terminal cut to its width',
  wide: 'every column, uncut',
  json: "one value, complete: the service's own names, [] for an empty list",
  ndjson: 'one JSON value a line, each as it comes',
  csv: "every column; what a spreadsheet would run begins with an apostrophe (')",
  tsv: 'every column, separated by tabs',
  yaml: 'what json has, as YAML',
  id: 'one id a line, and nothing else',
};

const OUTPUT: readonly Block[] = [
  {
    text: 'Standard output has the value that a command was asked for, standard error everything else. A pipe gets what a terminal gets, without colour and uncut, and times in UTC.',
  },
  { title: 'Formats (-o, --output)', rows: Object.entries(FORMAT_MEANINGS) },
  {
    title: 'Which format: the first of these that says one',
    rows: [
      ['1', '-o, --output, or --json, which is -o json'],
      ['2', '-q, --quiet, which is -o id and no notices'],
      ['3', "the command's own, of the few that print data for another program"],
      ['4', 'SVC_OUTPUT'],
      ['5', 'the setting output of the profile'],
      ['6', 'table'],
    ],
  },
  {
    title: 'What is printed: in this order',
    rows: [
      ['filters', "the command's own options and arguments"],
      ['--sort', 'a list by a column or any field, - in front for descending'],
      ['--limit', 'of a list, where the command has it: so many items'],
      ['--query', 'a JMESPath expression over what json would print'],
      ['--fields', 'instead of a query: only these fields of each item, a,b.c'],
      ['--columns', 'last, in table, wide, csv and tsv: which columns, in which order'],
    ],
  },
  {
    text: 'Control characters and other invisible ones of a service are escaped in every format, so that no terminal obeys them. With -o json and ndjson a failure is one line of JSON on standard error.',
  },
];

const TIMES: readonly Block[] = [
  {
    title: 'A point in time (<time>)',
    rows: [
      ['now', 'this moment'],
      ['2026-11-20T12:00:00Z', 'RFC 3339; instead of Z an offset: 2026-11-20T13:00:00+01:00'],
      ['2h ago, -2h', 'back from now'],
      ['in 2h, +2h', 'forward from now'],
      ['2h', 'forward or back, as suits the option: an end lies ahead, a start of history behind'],
      ['2026-11-20', 'where the option takes dates: the start of that day in UTC'],
      ['1795176000', 'where the service counts so, as webhook signatures do: Unix seconds'],
    ],
  },
  {
    title: 'A duration (<duration>): whole numbers with a unit, the largest first, as in 1h30m',
    rows: [
      ['y', '365 days'],
      ['w', '7 days'],
      ['d', '24 hours'],
      ['h', '60 minutes'],
      ['m', '60 seconds'],
      ['s', 'a second'],
      ['ms', 'a thousandth of a second'],
    ],
  },
  { text: 'There is no sign, no fraction and no number without a unit but 0. The longest is 292y.' },
  {
    title: 'How times are shown (--time)',
    rows: [
      ['relative', '5m ago, in 2h: in tables, unless told otherwise on a terminal'],
      ['utc', 'RFC 3339 in UTC, unless told otherwise in a pipe and in a file'],
      ['local', "RFC 3339 with this machine's offset"],
      ['iso', 'as the service wrote it'],
    ],
  },
  { text: 'json, ndjson and yaml always have a time as the service wrote it.' },
];

const MATCHERS: readonly Block[] = [
  { text: 'Matchers choose alerts by their labels, and say what a silence mutes. Several all have to match.' },
  {
    title: 'A matcher is a label, an operator and a value',
    rows: [
      ['severity="critical"', 'the label has this value'],
      ['severity!="info"', 'it has another one'],
      ['instance=~"web-.*"', 'its value matches the regular expression'],
      ['instance!~"test.*"', 'its value does not match it'],
    ],
  },
  {
    title: 'How they are written',
    rows: [
      ['\'job="a b"\'', 'in single quotes, so that the shell leaves the double quotes alone'],
      ['severity=critical', 'without quotes, where the value is plain'],
      ['DiskFull', 'as the first of them, a bare word: alertname="DiskFull"'],
      ['\'{job="db",env!="dev"}\'', 'several in one argument'],
    ],
  },
  {
    text: 'Regular expressions are RE2, as the server has them, and match the whole value: web matches web, and not web-1.',
  },
  {
    text: 'A label that an alert does not have counts as empty: team="" chooses the alerts without a team, and team!="infra" has them, too. You are told when a silence reaches alerts without the label.',
  },
  {
    text: 'What the server would guess at is refused, with the spelling to type: a second operator, a comma that may separate or belong to a value, brackets, quotes that the shell passed on.',
  },
];

export const TOPICS: readonly Topic[] = [
  { name: 'output', summary: 'Output formats, and how to select fields and columns', blocks: OUTPUT },
  { name: 'times', summary: 'How to write times and durations', blocks: TIMES },
  { name: 'matchers', summary: 'How to select alerts by their labels', blocks: MATCHERS },
  {
    name: 'exit-codes',
    summary: 'What the exit status says',
    blocks: [
      {
        title: 'Exit statuses',
        rows: EXIT_STATUSES.map(([status, meaning]) => [String(status), meaning]),
      },
    ],
  },
  {
    name: 'configuration',
    summary: 'Settings, profiles and environment variables',
    formerly: 'environment',
    blocks: [
      {
        text: 'An option overrides an environment variable, a variable overrides the profile, and the profile overrides the default. --profile is an option: it overrides the variables, too.',
      },
      {
        title: 'Settings of a profile (svc config set <setting> <value>)',
        rows: (SETTING_KEYS as readonly Setting[]).map(({ key, help }): Row => [key, help]),
      },
      {
        title: 'Environment variables',
        rows: [
          ...(SETTING_KEYS as readonly Setting[]).flatMap(({ env, help }): Row[] =>
            env === undefined ? [] : [[env, help]],
          ),
          ...VARIABLES.map(({ name, help }): Row => [name, help]),
        ],
      },
    ],
  },
  {
    name: 'options',
    summary: 'Options of every command',
    blocks: [
      { title: 'Global options, of every command', rows: optionRows(GLOBAL_FLAGS) },
      { title: 'Service options, of every command that sends requests', rows: optionRows(SERVICE_FLAGS) },
      { title: 'Options of every command that changes something', rows: optionRows(WRITE_FLAGS) },
    ],
  },
];

export function topicText({ blocks }: Topic, columns: number | undefined): string {
  const width = Math.min(columns ?? HELP_WIDTH, HELP_WIDTH);
  const parts = blocks.map((block) =>
    block.rows === undefined
      ? wrap(block.text, width).join('\n')
      : `${wrap(`${block.title}:`, width).join('\n')}\n${table(block.rows, width)}`,
  );
  return `${parts.join('\n\n')}\n`;
}
