import type { Commands } from '../../cli/command.ts';

export const commands: Commands = {
  list: async () => (await import('./commands/list.ts')).configList,
  get: async () => (await import('./commands/get.ts')).configGet,
  set: async () => (await import('./commands/set.ts')).configSet,
  unset: async () => (await import('./commands/unset.ts')).configUnset,
  path: async () => (await import('./commands/path.ts')).configPath,
  edit: async () => (await import('./commands/edit.ts')).configEdit,
  import: async () => (await import('./commands/import.ts')).configImport,
  profiles: async () => (await import('./commands/profiles.ts')).configProfiles,
  use: async () => (await import('./commands/use.ts')).configUse,
};
