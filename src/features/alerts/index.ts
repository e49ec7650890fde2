import { commandsOf, type Sections } from '../../cli/command.ts';

export const sections: Sections = {
  Show: {
    list: async () => (await import('./commands/list.ts')).alertsList,
    triage: async () => (await import('./commands/triage.ts')).alertsTriage,
    get: async () => (await import('./commands/get.ts')).alertsGet,
    groups: async () => (await import('./commands/groups.ts')).alertsGroups,
    receivers: async () => (await import('./commands/receivers.ts')).alertsReceivers,
    status: async () => (await import('./commands/status.ts')).alertsStatus,
  },
  Gate: {
    check: async () => (await import('./commands/check.ts')).alertsCheck,
  },
  Routing: {
    route: async () => (await import('./commands/route.ts')).alertsRoute,
    routes: async () => (await import('./commands/routes.ts')).alertsRoutes,
    'config check': async () => (await import('./commands/config-check.ts')).alertsConfigCheck,
  },
  Send: {
    create: async () => (await import('./commands/create.ts')).alertsCreate,
    resolve: async () => (await import('./commands/resolve.ts')).alertsResolve,
  },
};

export const commands = commandsOf(sections);
