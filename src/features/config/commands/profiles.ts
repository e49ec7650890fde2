import { listCommand } from '../../../cli/command.ts';
import { profileNames, profileValues, readSettingsFile, settingsPath } from '../../../store/settings.ts';

interface ProfileRow {
  readonly name: string;
  readonly current: boolean;
  /** How many settings it has. */
  readonly settings: number;
}

export const configProfiles = listCommand({
  id: 'config profiles',
  summary: 'List profiles',
  description: 'A profile is a named set of settings. Profiles inherit nothing from each other.',
  effect: 'read',
  repairsSettings: true,
  examples: [{ run: 'svc config profiles', why: 'See the profiles and which one is in use' }],
  output: {
    kind: 'list',
    columns: [
      { name: 'name', cell: (row: ProfileRow) => row.name },
      { name: 'current', cell: (row) => (row.current ? { text: 'yes', tone: 'good' } : '') },
      { name: 'settings', align: 'right', cell: (row) => row.settings },
    ],
    id: (row) => row.name,
  },
  run: async (_input, ctx) => {
    const { document } = readSettingsFile(settingsPath(ctx.paths));
    const current = ctx.settings.profile.name;
    const rows = profileNames(document).map((name) => ({
      name,
      current: name === current,
      settings: Object.keys(profileValues(document, name) ?? {}).length,
    }));
    return { value: rows };
  },
});
