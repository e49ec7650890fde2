import type { Commands } from '../../cli/command.ts';

export const commands: Commands = {
  list: async () => (await import('./commands/list.ts')).alertsList,
  get: async () => (await import('./commands/get.ts')).alertsGet,
  triage: async () => (await import('./commands/triage.ts')).alertsTriage,
  groups: async () => (await import('./commands/groups.ts')).alertsGroups,
  check: async () => (await import('./commands/check.ts')).alertsCheck,
  routes: async () => (await import('./commands/routes.ts')).alertsRoutes,
  route: async () => (await import('./commands/route.ts')).alertsRoute,
  'config check': async () => (await import('./commands/config-check.ts')).alertsConfigCheck,
  create: async () => (await import('./commands/create.ts')).alertsCreate,
  resolve: async () => (await import('./commands/resolve.ts')).alertsResolve,
  receivers: async () => (await import('./commands/receivers.ts')).alertsReceivers,
  status: async () => (await import('./commands/status.ts')).alertsStatus,
};
