import { commandsOf, type Sections } from '../../cli/command.ts';

export const sections: Sections = {
  Show: {
    list: async () => (await import('./commands/list.ts')).silencesList,
    get: async () => (await import('./commands/get.ts')).silencesGet,
    check: async () => (await import('./commands/check.ts')).silencesCheck,
  },
  Silence: {
    create: async () => (await import('./commands/create.ts')).silencesCreate,
    ack: async () => (await import('./commands/ack.ts')).silencesAck,
    run: async () => (await import('./commands/run.ts')).silencesRun,
  },
  Change: {
    extend: async () => (await import('./commands/extend.ts')).silencesExtend,
    update: async () => (await import('./commands/update.ts')).silencesUpdate,
    expire: async () => (await import('./commands/expire.ts')).silencesExpire,
  },
  Copy: {
    export: async () => (await import('./commands/export.ts')).silencesExport,
    import: async () => (await import('./commands/import.ts')).silencesImport,
  },
};

export const commands = commandsOf(sections);
