import { recordCommand } from '../../../cli/command.ts';
import { profileValues, type SettingsDocument } from '../../../store/settings.ts';
import { changeSettings } from '../../../store/settings-editor.ts';
import { requireSetting, withValues } from '../settings.ts';

interface RemovedSetting {
  readonly profile: string;
  readonly key: string;
  /** False if it was not set. */
  readonly removed: boolean;
}

export const configUnset = recordCommand({
  id: 'config unset',
  aliases: ['rm'],
  summary: 'Remove a setting from the profile',
  effect: 'read',
  repairsSettings: true,
  args: { key: { help: 'Key', required: true, complete: 'settings' } },
  examples: [{ run: 'svc config unset timeout', why: 'Return to the default' }],
  output: {
    kind: 'record',
    columns: [
      { name: 'profile', cell: (removed: RemovedSetting) => removed.profile },
      { name: 'key', cell: (removed) => removed.key },
      { name: 'removed', cell: (removed) => removed.removed },
    ],
    id: (removed) => removed.key,
  },
  run: async ({ key }, ctx) => {
    if (ctx.settings.failure !== undefined) throw ctx.settings.failure;
    const { name } = ctx.settings.profile;
    const isIn = (document: SettingsDocument) => Object.hasOwn(profileValues(document, name) ?? {}, key);
    const before = await changeSettings(ctx.paths, ctx, (document) => {
      if (isIn(document)) return withValues(document, name, { [key]: undefined });
      // An unknown key can be removed from the file. If it is not there, it is a typing error.
      requireSetting(key);
      return document;
    });
    return { value: { profile: name, key, removed: isIn(before) } };
  },
});
