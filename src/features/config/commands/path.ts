import { textCommand } from '../../../cli/command.ts';
import { settingsPath } from '../../../store/settings.ts';

export const configPath = textCommand({
  id: 'config path',
  summary: 'Print the path of the settings file',
  description: 'The file need not exist. SVC_CONFIG_DIR or XDG_CONFIG_HOME changes the path.',
  effect: 'read',
  repairsSettings: true,
  examples: [{ run: 'svc config path', why: 'Find the settings file' }],
  output: { kind: 'text' },
  run: async (_input, ctx) => ({ value: settingsPath(ctx.paths) }),
});
