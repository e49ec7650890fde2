import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { problemWithStored, type Setting, shownValue } from '../../../store/setting-keys.ts';
import { profileValues } from '../../../store/settings.ts';
import { changeSettings } from '../../../store/settings-editor.ts';
import { checkProfileName, requireSetting, withValues } from '../settings.ts';

interface StoredSetting {
  readonly profile: string;
  readonly key: string;
  readonly value: string;
}

export const configSet = recordCommand({
  id: 'config set',
  summary: 'Change a setting of the profile',
  description: 'Writes to the profile in use or to --profile, which is created if it does not exist.',
  effect: 'read',
  repairsSettings: true,
  args: {
    key: { help: 'Key, as shown by svc config list --all', required: true, complete: 'settings' },
    value: { help: 'Value', required: true },
  },
  examples: [
    { run: 'svc config set alerts.url https://am.example.com', why: 'Set the address of the alert manager' },
    { run: 'svc config set alerts.url https://am.test.example.com --profile test', why: 'Create a second profile' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'profile', cell: (stored: StoredSetting) => stored.profile },
      { name: 'key', cell: (stored) => stored.key },
      { name: 'value', cell: (stored) => stored.value },
    ],
    id: (stored) => stored.key,
  },
  run: async ({ key, value }, ctx) => {
    const setting = requireSetting(key);
    checkValue(setting, value);
    const { name } = ctx.settings.profile;
    checkProfileName(name);
    const document = await changeSettings(ctx.paths, ctx, (all) => withValues(all, name, { [key]: value }));
    const isNew = profileValues(document, name) === undefined;
    return { value: { profile: name, key, value }, footer: footer(setting, name, isNew, ctx.env) };
  },
});

function checkValue(setting: Setting, value: string): void {
  const problem = problemWithStored(setting, value);
  if (problem === undefined) return;
  throw new SvcError('invalid_value', `${setting.key}: "${shownValue(setting, value)}" ${problem}`);
}

function footer(
  { key, env }: Setting,
  profile: string,
  created: boolean,
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const lines = created ? [`created profile ${profile}; to use it from now on: svc config use ${profile}`] : [];
  const exception = /\.(?:url|user|account)$/.test(key) ? ' unless you pass --profile' : '';
  if (env !== undefined && variables[env]) lines.push(`${env} is set, and overrides ${key} of the profile${exception}`);
  return lines.length === 0 ? undefined : lines.join('\n');
}
