/** The list of what `svc` can do. The commands of a group load when it is named. */
import type { Group, Sources } from '../cli/command.ts';

export const GROUPS: readonly Group[] = [
  {
    name: 'alerts',
    lists: true,
    summary: 'List, check and send alerts',
    load: () => import('./alerts/index.ts'),
  },
  {
    name: 'silences',
    lists: true,
    summary: 'Create and manage silences',
    load: () => import('./silences/index.ts'),
  },
  {
    name: 'webhooks',
    summary: 'Subscribe to recording events; verify and send deliveries',
    load: () => import('./webhooks/index.ts'),
  },
  {
    name: 'oauth',
    summary: 'Sign in to the recording service',
    load: () => import('./oauth/index.ts'),
  },
  {
    name: 'catalog',
    summary: 'Show products, prices and their history',
    load: () => import('./catalog/index.ts'),
  },
  {
    name: 'trade',
    summary: 'Show prices and accounts, and place orders',
    load: () => import('./trade/index.ts'),
  },
  {
    name: 'config',
    summary: 'Manage settings and profiles',
    load: () => import('./config/index.ts'),
  },
  {
    name: 'sandbox',
    summary: 'Run the services on this machine, to try svc',
    load: () => import('./sandbox/index.ts'),
  },
  {
    name: 'completion',
    summary: 'Print completion scripts for your shell',
    description:
      'bash, in ~/.bashrc: eval "$(svc completion bash)"\nzsh, in ~/.zshrc after compinit: eval "$(svc completion zsh)"\nfish: svc completion fish > ~/.config/fish/completions/svc.fish\nPowerShell, in $PROFILE: svc completion powershell | Out-String | iex\nCompletion makes no requests: it offers commands, options, choices, files, settings and profiles.',
    load: () => import('./completion/index.ts'),
  },
  {
    name: 'doctor',
    single: true,
    summary: 'Check the configuration and each service',
    load: async () => ({ commands: { doctor: async () => (await import('./doctor/commands/doctor.ts')).doctor } }),
  },
  {
    name: 'api',
    single: true,
    summary: 'Send any request to a service',
    load: async () => ({ commands: { api: async () => (await import('./api/commands/api.ts')).api } }),
  },
];

/** The names that only a service knows, as prompts offer them. */
export const SOURCES: Sources = {
  silences: { list: ['silences', 'list'] },
  fingerprints: { list: ['alerts', 'list', '--all'] },
  matchers: { list: ['alerts', 'list'] },
  subscriptions: { list: ['webhooks', 'list'] },
  products: { list: ['catalog', 'products', 'list'], search: '--search' },
  stores: { list: ['catalog', 'products', 'sources', '<id>'] },
  sources: { list: ['catalog', 'products', 'sources', '<id>'] },
  symbols: { list: ['trade', 'offers', 'list'] },
  orders: { list: ['trade', 'orders', 'list'] },
  trades: { list: ['trade', 'positions', 'list'] },
};
