import { listCommand } from '../../../cli/command.ts';
import { openAlertmanager } from '../api.ts';
import { CONFIG_FILE, readConfig } from '../routing/source.ts';
import { type DrawnRoute, walkRoutes } from '../routing/tree.ts';

export const alertsRoutes = listCommand({
  id: 'alerts routes',
  summary: 'Draw the routing tree',
  description:
    'An alert takes the first route that matches it on each level, and with continue the following ones, too. Each route is shown with the values that it inherits.',
  details:
    'The JSON has one object for each route, before its children: matchers (its own), receiver, groupBy (... alone is every label), groupWait, groupInterval, repeatInterval, continue, muteTimeIntervals, activeTimeIntervals, depth and branch (the lines to the left of it).',
  effect: 'read',
  service: 'alerts',
  flags: CONFIG_FILE,
  examples: [
    { run: 'svc alerts routes', why: 'Draw the routes of the running configuration' },
    { run: 'svc alerts routes --config-file alertmanager.yml', why: 'Draw the routes of a file' },
  ],
  output: {
    kind: 'list',
    columns: [
      {
        name: 'route',
        cell: ({ branch, depth, matchers }: DrawnRoute) =>
          `${branch}${matchers.join(' ') || (depth === 0 ? 'default' : '(every alert)')}`,
        vital: true,
      },
      { name: 'receiver', cell: ({ receiver }) => receiver, vital: true },
      { name: 'continue', cell: (route) => (route.continue ? 'continue' : undefined) },
      { name: 'group-by', cell: ({ groupBy }) => groupBy, shrinks: true },
      { name: 'muted', cell: ({ muteTimeIntervals }) => muteTimeIntervals },
      { name: 'only', cell: ({ activeTimeIntervals }) => activeTimeIntervals },
      { name: 'wait', cell: ({ groupWait }) => groupWait, wide: true },
      { name: 'interval', cell: ({ groupInterval }) => groupInterval, wide: true },
      { name: 'repeat', cell: ({ repeatInterval }) => repeatInterval, wide: true },
    ],
    id: ({ receiver }) => receiver,
  },
  async run(input, ctx) {
    const config = await readConfig(input.configFile ?? openAlertmanager(ctx.target), ctx);
    return { value: [...walkRoutes(config.route)] };
  },
});
