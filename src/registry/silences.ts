import { silencesCreate } from '../commands/silences/create.ts';
import { silencesExpire } from '../commands/silences/expire.ts';
import { silencesGet } from '../commands/silences/get.ts';
import { silencesList } from '../commands/silences/list.ts';
import { silencesUpdate } from '../commands/silences/update.ts';

export const commands = [silencesList, silencesGet, silencesCreate, silencesUpdate, silencesExpire];
