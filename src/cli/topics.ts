/** `svc help <topic>`: texts made from the tables that the code itself uses. */
import { EXIT_STATUSES } from '../errors.ts';
import { SETTING_KEYS, type Setting, VARIABLES } from '../store/setting-keys.ts';
import { HELP_WIDTH, type Row, table, wrap } from './help.ts';

export interface Topic {
  readonly name: string;
  readonly text: (columns: number | undefined) => string;
}

export const TOPICS: readonly Topic[] = [
  {
    name: 'exit-codes',
    text: (columns) =>
      page(
        'Exit statuses:',
        EXIT_STATUSES.map(([status, meaning]) => [String(status), meaning]),
        columns,
      ),
  },
  {
    name: 'environment',
    text: (columns) =>
      page(
        'Environment variables (an option wins over a variable, a variable over the profile):',
        [
          ...(SETTING_KEYS as readonly Setting[]).flatMap(({ env, help }): [string, string][] =>
            env === undefined ? [] : [[env, help]],
          ),
          ...VARIABLES.map(({ name, help }): [string, string] => [name, help]),
        ],
        columns,
      ),
  },
];

function page(title: string, rows: readonly Row[], columns: number | undefined): string {
  const width = Math.min(columns ?? HELP_WIDTH, HELP_WIDTH);
  return `${wrap(title, width).join('\n')}\n${table(rows, width)}\n`;
}
