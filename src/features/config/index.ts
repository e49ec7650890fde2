import { configEdit } from './commands/edit.ts';
import { configGet } from './commands/get.ts';
import { configList } from './commands/list.ts';
import { configPath } from './commands/path.ts';
import { configProfiles } from './commands/profiles.ts';
import { configSet } from './commands/set.ts';
import { configUnset } from './commands/unset.ts';
import { configUse } from './commands/use.ts';

export const commands = [
  configList,
  configGet,
  configSet,
  configUnset,
  configPath,
  configEdit,
  configProfiles,
  configUse,
];
