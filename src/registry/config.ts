import { configEdit } from '../commands/config/edit.ts';
import { configGet } from '../commands/config/get.ts';
import { configList } from '../commands/config/list.ts';
import { configPath } from '../commands/config/path.ts';
import { configProfiles } from '../commands/config/profiles.ts';
import { configSet } from '../commands/config/set.ts';
import { configUnset } from '../commands/config/unset.ts';
import { configUse } from '../commands/config/use.ts';

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
