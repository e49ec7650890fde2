import { listCommand } from '../../../cli/command.ts';
import type { Cell } from '../../../output/types.ts';
import { SETTING_KEYS, shownValue } from '../../../store/setting-keys.ts';
import type { Origin } from '../../../store/settings.ts';

interface SettingRow {
  readonly key: string;
  readonly value: string | null;
  readonly origin: Origin['kind'];
  /** The option, the variable or the file: with `--show-origin`. */
  readonly source?: string;
  /** What is wrong with the value. */
  readonly problem?: string;
}

export const configList = listCommand({
  id: 'config list',
  aliases: ['view'],
  summary: 'List settings and their values',
  description:
    'Shows the values in effect: from an option, the variable, the profile or the default, in this order. Secrets are not settings and are never shown.',
  effect: 'read',
  repairsSettings: true,
  flags: {
    'show-origin': { type: 'boolean', help: 'Show where each value comes from' },
    all: { type: 'boolean', short: 'a', help: 'Include settings without a value' },
  },
  examples: [
    { run: 'svc config list --show-origin', why: 'See where an address comes from' },
    { run: 'svc config list --profile prod -o json', why: 'Read the settings of another profile in a script' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'key', cell: (row: SettingRow) => row.key },
      { name: 'value', shrinks: true, cell: valueCell },
      {
        name: 'origin',
        cell: ({ origin, source }) => (source ? `${origin}: ${source}` : origin),
        shrinks: true,
        vital: true,
      },
    ],
    id: (row) => row.key,
    empty: 'no settings',
  },
  run: async ({ showOrigin, all }, { settings }) => {
    if (settings.failure !== undefined) throw settings.failure;
    const rows = SETTING_KEYS.map((setting): SettingRow => {
      const { value, origin, problem } = settings.resolve(setting.key);
      return {
        key: setting.key,
        value: value === undefined ? null : shownValue(setting, value),
        origin: origin.kind,
        ...(showOrigin ? { source: origin.detail } : {}),
        ...(problem === undefined ? {} : { problem }),
      };
    });
    return {
      value: all ? rows : rows.filter(({ value }) => value !== null),
      footer: `profile ${settings.profile.name}`,
    };
  },
});

function valueCell({ value, problem }: SettingRow): Cell {
  if (problem !== undefined) return { text: `${value} (${problem})`, tone: 'bad' };
  return value ?? { text: '(none)', tone: 'dim' };
}
