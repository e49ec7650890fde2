import type { Command } from '../../cli/command.ts';
import { oauthClientsForget } from './commands/clients-forget.ts';
import { oauthClientsList } from './commands/clients-list.ts';
import { oauthClientsRegister } from './commands/clients-register.ts';
import { oauthDiscovery } from './commands/discovery.ts';
import { oauthLogin } from './commands/login.ts';
import { oauthLogout } from './commands/logout.ts';
import { oauthRefresh } from './commands/refresh.ts';
import { oauthStatus } from './commands/status.ts';
import { oauthToken } from './commands/token.ts';

export const commands: readonly Command[] = [
  oauthLogin,
  oauthStatus,
  oauthToken,
  oauthRefresh,
  oauthLogout,
  oauthClientsList,
  oauthClientsRegister,
  oauthClientsForget,
  oauthDiscovery,
];
