/** `svc help <topic>`. Lists come from the tables of the code, or are tested against them. */
import { EXIT_STATUSES } from '../errors.ts';
import type { Format } from '../output/types.ts';
import { SETTING_KEYS, VARIABLES } from '../store/setting-keys.ts';
import { GLOBAL_FLAGS, SERVICE_FLAGS, SOME_FLAGS, WRITE_FLAGS } from './common-flags.ts';
import { formatRows, HELP_WIDTH, optionRows, type Row, splitIntoLines } from './help.ts';

/** A paragraph, or a titled list of inputs and their meaning. */
export type Block =
  | { readonly text: string; readonly rows?: undefined }
  | { readonly title: string; readonly rows: readonly Row[] };

export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly blocks: readonly Block[];
}

const FORMAT_MEANINGS: Readonly<Record<Format, string>> = {
  table: 'a table for people, fitted to the width of the terminal',
  wide: 'every column, not shortened',
  json: "one complete value with the service's own names; [] for an empty list",
  ndjson: 'one JSON value per line, as it arrives',
  csv: "every column; spreadsheet formulas get an apostrophe (')",
  tsv: 'every column, separated by tabs',
  yaml: 'what json has, as YAML',
  id: 'one id per line',
};

const OUTPUT: readonly Block[] = [
  {
    text: 'Standard output has only data; everything else goes to standard error. A pipe gets the same text as a terminal, but without color and shortening, and with times in UTC.',
  },
  { title: 'Formats (-o, --output)', rows: Object.entries(FORMAT_MEANINGS) },
  {
    title: 'The first of these sets the format',
    rows: [
      ['1', '-o, --output or --json (-o json)'],
      ['2', '-q, --quiet (-o id without notices)'],
      ['3', 'the command, if it prints data for another program'],
      ['4', 'SVC_OUTPUT'],
      ['5', 'the setting output'],
      ['6', 'table'],
    ],
  },
  {
    title: 'Options are applied in this order',
    rows: [
      ['filters', "the command's own options and arguments"],
      ['--sort', 'sorts by a column or field; - for descending'],
      ['--limit', 'maximum number of items, if the command has it'],
      ['--query', 'a JMESPath expression on the JSON value'],
      ['--fields', 'only these fields of each item: a,b.c (not with --query)'],
      ['--columns', 'columns and their order, in table, wide, csv and tsv'],
    ],
  },
  {
    text: 'Alerts and their groups are sorted worst first: unsuppressed ones, then by severity (the setting alerts.severities), then the newest. json, ndjson and yaml have the order of the service and print each alert as it arrives, unless you pass --sort or --limit.',
  },
  {
    text: 'At a terminal, a table longer than the screen goes through SVC_PAGER, PAGER or less (-FRX). A spinner on standard error shows a host that is slow to respond. With TERM=dumb, svc writes text and nothing else.',
  },
  {
    text: 'Control and invisible characters of a service are escaped in every format. With -o json and ndjson, an error is one line of JSON on standard error.',
  },
];

const TIMES: readonly Block[] = [
  {
    title: 'A point in time (<time>)',
    rows: [
      ['now', 'this moment'],
      ['2026-11-20T12:00:00Z', 'RFC 3339; instead of Z an offset: 2026-11-20T13:00:00+01:00'],
      ['2h ago, -2h', 'before now'],
      ['in 2h, +2h', 'after now'],
      ['2h', 'after now for an end, before now for the start of a history'],
      ['18:00', 'local time, or that of --tz: the next, or the last where 2h is before now'],
      ['tomorrow 02:00, 2026-11-23 02:00', 'the same on a certain day; also today and yesterday'],
      ['2026-11-20', 'the start of that day in UTC or in --tz, if the option takes dates'],
      ['1795176000', 'Unix seconds, for webhook signatures'],
    ],
  },
  {
    title: 'A duration (<duration>): whole numbers with units, largest first, as in 1h30m',
    rows: [
      ['y', '365 days'],
      ['w', '7 days'],
      ['d', '24 hours'],
      ['h', '60 minutes'],
      ['m', '60 seconds'],
      ['s', 'a second'],
      ['ms', 'milliseconds'],
    ],
  },
  {
    text: 'Signs, fractions and numbers without a unit (except 0) are errors, and so is a clock time that a change of the clocks skips or repeats. The longest duration is 292y.',
  },
  {
    title: 'How times are shown (--time)',
    rows: [
      ['relative', '5m ago, in 2h (default in tables at a terminal)'],
      ['utc', 'RFC 3339 in UTC (default in a pipe and in a file)'],
      ['local', "RFC 3339 with this machine's offset"],
      ['iso', 'as the service wrote it'],
    ],
  },
  { text: 'json, ndjson and yaml always have times as the service wrote them.' },
];

const MATCHERS: readonly Block[] = [
  { text: 'Matchers select alerts by their labels, and determine what a silence mutes. All matchers must match.' },
  {
    title: 'A matcher is a label, an operator and a value',
    rows: [
      ['severity="critical"', 'the label has this value'],
      ['severity!="info"', 'the label has another value'],
      ['instance=~"web-.*"', 'the value matches the regular expression'],
      ['instance!~"test.*"', 'the value does not match it'],
    ],
  },
  {
    title: 'How they are written',
    rows: [
      ['\'job="a b"\'', 'single quotes protect the double quotes from the shell'],
      ['severity=critical', 'without quotes, if the value is simple'],
      ['DiskFull', 'first argument without an operator: alertname="DiskFull"'],
      ['\'{job="db",env!="dev"}\'', 'several in one argument'],
    ],
  },
  {
    text: 'Regular expressions are RE2, as on the server, and match the complete value: web matches web, but not web-1.',
  },
  {
    text: 'A missing label counts as empty: team="" selects alerts without a team, and so does team!="infra".',
  },
  {
    text: 'Where the server takes literally what may be meant in another way, svc refuses the matcher and prints what to type for each meaning: several matchers in one argument (a=b c=d, a=b;c=d), several values or a pattern with = (a=b|c, a=b,c, a=b*), brackets, quotes that the shell passed on. A value in double quotes is literal: \'a="b c=d"\'.',
  },
];

export const TOPICS: readonly Topic[] = [
  { name: 'output', summary: 'Output formats, and how to select fields and columns', blocks: OUTPUT },
  { name: 'times', summary: 'How to write times and durations', blocks: TIMES },
  { name: 'matchers', summary: 'How to select alerts by their labels', blocks: MATCHERS },
  {
    name: 'exit-statuses',
    summary: 'Meaning of the exit statuses',
    blocks: [{ title: 'Exit statuses', rows: EXIT_STATUSES.map(([status, meaning]) => [String(status), meaning]) }],
  },
  {
    name: 'configuration',
    summary: 'Settings, profiles and environment variables',
    blocks: [
      {
        text: 'An option overrides an environment variable, a variable overrides the profile, and the profile overrides the default. --profile is an option: it overrides the variables, too.',
      },
      {
        title: 'Settings of a profile (svc config set <setting> <value>)',
        rows: SETTING_KEYS.map(({ key, help }): Row => [key, help]),
      },
      {
        text: 'The credential of a profile goes to the address of the same profile only. A command, and headers, are one text or a JSON array: \'["pass", "show", "am"]\', \'X-Scope-OrgID: blue\'. A secret header is in a file, named as @FILE.',
      },
      {
        title: 'Environment variables',
        rows: [
          ...SETTING_KEYS.flatMap(({ env, help }): Row[] => (env === undefined ? [] : [[env, help]])),
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
      { title: 'Options of commands that take times, or several clusters', rows: optionRows(SOME_FLAGS) },
    ],
  },
];

export function topicText({ blocks }: Topic, columns: number | undefined): string {
  const width = Math.min(columns ?? HELP_WIDTH, HELP_WIDTH);
  const parts = blocks.map((block) =>
    block.rows === undefined
      ? splitIntoLines(block.text, width).join('\n')
      : `${splitIntoLines(`${block.title}:`, width).join('\n')}\n${formatRows(block.rows, width)}`,
  );
  return `${parts.join('\n\n')}\n`;
}
