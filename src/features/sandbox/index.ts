import type { Group } from '../../cli/command.ts';

export const sandbox: Group = {
  name: 'sandbox',
  summary: 'The services on this machine, to try svc on',
  commands: {
    start: async () => (await import('./commands/start.ts')).sandboxStart,
    run: async () => (await import('./commands/run.ts')).sandboxRun,
    status: async () => (await import('./commands/status.ts')).sandboxStatus,
  },
};
