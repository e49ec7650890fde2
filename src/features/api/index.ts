import type { Group } from '../../cli/command.ts';

export const api: Group = {
  name: 'api',
  single: true,
  summary: 'Send any request to a service, and print its answer',
  commands: {
    api: async () => (await import('./commands/api.ts')).api,
  },
};
