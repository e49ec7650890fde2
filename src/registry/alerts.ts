import { alertsCheck } from '../commands/alerts/check.ts';
import { alertsCreate } from '../commands/alerts/create.ts';
import { alertsGet } from '../commands/alerts/get.ts';
import { alertsGroups } from '../commands/alerts/groups.ts';
import { alertsList } from '../commands/alerts/list.ts';
import { alertsReceivers } from '../commands/alerts/receivers.ts';
import { alertsResolve } from '../commands/alerts/resolve.ts';
import { alertsStatus } from '../commands/alerts/status.ts';

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
