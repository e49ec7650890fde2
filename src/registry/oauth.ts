import type { Command } from '../cli/command.ts';
import { oauthClientsForget } from '../commands/oauth/clients-forget.ts';
import { oauthClientsList } from '../commands/oauth/clients-list.ts';
import { oauthClientsRegister } from '../commands/oauth/clients-register.ts';
import { oauthDiscovery } from '../commands/oauth/discovery.ts';
import { oauthLogin } from '../commands/oauth/login.ts';
import { oauthLogout } from '../commands/oauth/logout.ts';
import { oauthRefresh } from '../commands/oauth/refresh.ts';
import { oauthStatus } from '../commands/oauth/status.ts';
import { oauthToken } from '../commands/oauth/token.ts';

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
