import type { Command } from '../cli/command.ts';
import { oauthClientsForget } from '../commands/oauth/clients-forget.ts';
import { oauthClientsList } from '../commands/oauth/clients-list.ts';
import { oauthLogout } from '../commands/oauth/logout.ts';
import { oauthRefresh } from '../commands/oauth/refresh.ts';
import { oauthStatus } from '../commands/oauth/status.ts';
import { oauthToken } from '../commands/oauth/token.ts';

export const commands: readonly Command[] = [
  oauthStatus,
  oauthToken,
  oauthRefresh,
  oauthLogout,
  oauthClientsList,
  oauthClientsForget,
];
