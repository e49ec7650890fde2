import { listCommand } from '../../../cli/command.ts';
import { profileNames, profileValues, readSettingsFile, settingsPath } from '../../../store/settings.ts';

interface ProfileRow {
  readonly name: string;
  readonly current: boolean;
  /** Of its services. */
  readonly addresses: readonly string[];
  /** How many settings it has. */
  readonly settings: number;
}

export const configProfiles = listCommand({
  id: 'config profiles',
  suggestFor: ['get-contexts', 'contexts'],
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
      { name: 'addresses', cell: (row) => row.addresses, shrinks: true },
      { name: 'settings', align: 'right', cell: (row) => row.settings },
    ],
    id: (row) => row.name,
  },
  run: async (_input, ctx) => {
    const { document } = readSettingsFile(settingsPath(ctx.paths));
    const current = ctx.settings.profile.name;
    const rows = profileNames(document).map((name) => {
      const settings = Object.entries(profileValues(document, name) ?? {});
      const addresses = settings.flatMap(([key, value]) => (/\.urls?$/.test(key) ? String(value).split(',') : []));
      return { name, current: name === current, addresses, settings: settings.length };
    });
    return { value: rows };
  },
});
