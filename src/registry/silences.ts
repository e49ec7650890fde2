import { silencesAck } from '../commands/silences/ack.ts';
import { silencesCreate } from '../commands/silences/create.ts';
import { silencesExpire } from '../commands/silences/expire.ts';
import { silencesExport } from '../commands/silences/export.ts';
import { silencesExtend } from '../commands/silences/extend.ts';
import { silencesGet } from '../commands/silences/get.ts';
import { silencesImport } from '../commands/silences/import.ts';
import { silencesKeepalive } from '../commands/silences/keepalive.ts';
import { silencesList } from '../commands/silences/list.ts';
import { silencesRecreate } from '../commands/silences/recreate.ts';
import { silencesRun } from '../commands/silences/run.ts';
import { silencesUpdate } from '../commands/silences/update.ts';

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
