/** The single list of what `svc` can do. */
import type { Group } from '../cli/command.ts';
import { alerts } from './alerts/index.ts';
import { api } from './api/index.ts';
import { catalog } from './catalog/index.ts';
import { completion } from './completion/index.ts';
import { config } from './config/index.ts';
import { doctor } from './doctor/index.ts';
import { oauth } from './oauth/index.ts';
import { sandbox } from './sandbox/index.ts';
import { silences } from './silences/index.ts';
import { trade } from './trade/index.ts';
import { webhooks } from './webhooks/index.ts';

export const GROUPS: readonly Group[] = [
  alerts,
  silences,
  webhooks,
  oauth,
  catalog,
  trade,
  config,
  sandbox,
  completion,
  doctor,
  api,
];
