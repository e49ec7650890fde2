/** `svc help <topic>`: texts made from the tables that the code itself uses. */
import { EXIT_STATUSES } from '../errors.ts';
import { SETTING_KEYS, type Setting, VARIABLES } from '../store/setting-keys.ts';

export interface Topic {
  readonly name: string;
  readonly text: () => string;
}

export const TOPICS: readonly Topic[] = [
  {
    name: 'exit-codes',
    text: () => `Exit statuses:\n${rows(EXIT_STATUSES.map(([status, meaning]) => [String(status), meaning]))}`,
  },
  {
    name: 'environment',
    text: () =>
      `Environment variables (an option wins over a variable, a variable over the profile):\n${rows([
        ...(SETTING_KEYS as readonly Setting[]).flatMap(({ env, help }): [string, string][] =>
          env === undefined ? [] : [[env, help]],
        ),
        ...VARIABLES.map(({ name, help }): [string, string] => [name, help]),
      ])}`,
  },
];

function rows(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([left]) => left.length)) + 2;
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}${right}\n`).join('');
}
