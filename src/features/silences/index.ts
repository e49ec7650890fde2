import { silencesAck } from './commands/ack.ts';
import { silencesCreate } from './commands/create.ts';
import { silencesExpire } from './commands/expire.ts';
import { silencesExport } from './commands/export.ts';
import { silencesExtend } from './commands/extend.ts';
import { silencesGet } from './commands/get.ts';
import { silencesImport } from './commands/import.ts';
import { silencesKeepalive } from './commands/keepalive.ts';
import { silencesList } from './commands/list.ts';
import { silencesRecreate } from './commands/recreate.ts';
import { silencesRun } from './commands/run.ts';
import { silencesUpdate } from './commands/update.ts';

export const commands = [
  silencesList,
  silencesGet,
  silencesCreate,
  silencesAck,
  silencesRun,
  silencesUpdate,
  silencesExtend,
  silencesKeepalive,
  silencesRecreate,
  silencesExpire,
  silencesExport,
  silencesImport,
];
