import { commandsOf, type Sections } from '../../cli/command.ts';

export const sections: Sections = {
  'Sign in': {
    login: async () => (await import('./commands/login.ts')).oauthLogin,
    status: async () => (await import('./commands/status.ts')).oauthStatus,
    logout: async () => (await import('./commands/logout.ts')).oauthLogout,
  },
  Tokens: {
    token: async () => (await import('./commands/token.ts')).oauthToken,
    refresh: async () => (await import('./commands/refresh.ts')).oauthRefresh,
  },
  'Clients and server': {
    'clients list': async () => (await import('./commands/clients-list.ts')).oauthClientsList,
    'clients register': async () => (await import('./commands/clients-register.ts')).oauthClientsRegister,
    'clients forget': async () => (await import('./commands/clients-forget.ts')).oauthClientsForget,
    discovery: async () => (await import('./commands/discovery.ts')).oauthDiscovery,
  },
};

export const commands = commandsOf(sections);
