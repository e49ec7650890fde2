import type { Commands } from '../../cli/command.ts';

export const commands: Commands = {
  start: async () => (await import('./commands/start.ts')).sandboxStart,
  run: async () => (await import('./commands/run.ts')).sandboxRun,
  traps: async () => (await import('./commands/traps.ts')).sandboxTraps,
  status: async () => (await import('./commands/status.ts')).sandboxStatus,
};
