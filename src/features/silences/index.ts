import type { Commands } from '../../cli/command.ts';

export const commands: Commands = {
  list: async () => (await import('./commands/list.ts')).silencesList,
  get: async () => (await import('./commands/get.ts')).silencesGet,
  check: async () => (await import('./commands/check.ts')).silencesCheck,
  create: async () => (await import('./commands/create.ts')).silencesCreate,
  ack: async () => (await import('./commands/ack.ts')).silencesAck,
  run: async () => (await import('./commands/run.ts')).silencesRun,
  update: async () => (await import('./commands/update.ts')).silencesUpdate,
  extend: async () => (await import('./commands/extend.ts')).silencesExtend,
  expire: async () => (await import('./commands/expire.ts')).silencesExpire,
  export: async () => (await import('./commands/export.ts')).silencesExport,
  import: async () => (await import('./commands/import.ts')).silencesImport,
};
