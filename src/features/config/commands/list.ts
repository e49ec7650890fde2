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
  summary: 'List the settings and their values',
  description:
    'The values that count: of an option, else of its variable, else of the profile, else the default. Secrets are no settings and are never shown.',
  effect: 'read',
  repairsSettings: true,
  flags: {
    'show-origin': { type: 'boolean', help: 'Say where each value comes from: which variable, which file' },
    all: { type: 'boolean', short: 'a', help: 'Include the settings that have no value' },
  },
  examples: [
    { run: 'svc config list --show-origin', why: 'See why svc talks to this address' },
    { run: 'svc config list --profile prod -o json', why: 'The settings of another profile, for a script' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'key', cell: (row: SettingRow) => row.key },
      { name: 'value', flex: true, cell: valueCell },
      { name: 'origin', cell: ({ origin, source }) => (source ? `${origin}: ${source}` : origin) },
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
