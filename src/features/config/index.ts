import { commandsOf, type Sections } from '../../cli/command.ts';

export const sections: Sections = {
  Settings: {
    list: async () => (await import('./commands/list.ts')).configList,
    get: async () => (await import('./commands/get.ts')).configGet,
    set: async () => (await import('./commands/set.ts')).configSet,
    unset: async () => (await import('./commands/unset.ts')).configUnset,
    edit: async () => (await import('./commands/edit.ts')).configEdit,
    path: async () => (await import('./commands/path.ts')).configPath,
  },
  Profiles: {
    profiles: async () => (await import('./commands/profiles.ts')).configProfiles,
    use: async () => (await import('./commands/use.ts')).configUse,
    import: async () => (await import('./commands/import.ts')).configImport,
  },
};

export const commands = commandsOf(sections);
