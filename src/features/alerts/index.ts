import { alertsCheck } from './commands/check.ts';
import { alertsCreate } from './commands/create.ts';
import { alertsGet } from './commands/get.ts';
import { alertsGroups } from './commands/groups.ts';
import { alertsList } from './commands/list.ts';
import { alertsReceivers } from './commands/receivers.ts';
import { alertsResolve } from './commands/resolve.ts';
import { alertsStatus } from './commands/status.ts';

export const commands = [
  alertsList,
  alertsGet,
  alertsGroups,
  alertsCheck,
  alertsCreate,
  alertsResolve,
  alertsReceivers,
  alertsStatus,
];
