/** The single list of what `svc` can do. A group's declarations load when the group is named. */
import type { Command } from './cli/command.ts';

export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly commands: readonly Command[] }>;
}

export const GROUPS: readonly Group[] = [
  { name: 'alerts', summary: 'See what fires, and send alerts', load: () => import('./registry/alerts.ts') },
  { name: 'silences', summary: 'Mute alerts safely, and end it', load: () => import('./registry/silences.ts') },
  { name: 'config', summary: 'Settings and profiles', load: () => import('./registry/config.ts') },
  {
    name: 'sandbox',
    summary: 'The services on this machine, to try svc on',
    load: () => import('./registry/sandbox.ts'),
  },
];
