import type { Command } from '../../cli/command.ts';
import { webhooksCheckReceiver } from './commands/check-receiver.ts';
import { webhooksCreate } from './commands/create.ts';
import { webhooksDelete } from './commands/delete.ts';
import { webhooksDeliveries } from './commands/deliveries.ts';
import { webhooksDoctor } from './commands/doctor.ts';
import { webhooksEnable } from './commands/enable.ts';
import { webhooksGet } from './commands/get.ts';
import { webhooksList } from './commands/list.ts';
import { webhooksListen } from './commands/listen.ts';
import { webhooksReplay } from './commands/replay.ts';
import { webhooksRotate } from './commands/rotate.ts';
import { webhooksSamples } from './commands/samples.ts';
import { webhooksSecretsDelete } from './commands/secrets-delete.ts';
import { webhooksSecretsExport } from './commands/secrets-export.ts';
import { webhooksSecretsImport } from './commands/secrets-import.ts';
import { webhooksSecretsList } from './commands/secrets-list.ts';
import { webhooksSend } from './commands/send.ts';
import { webhooksShow } from './commands/show.ts';
import { webhooksSign } from './commands/sign.ts';
import { webhooksTest } from './commands/test.ts';
import { webhooksUpdate } from './commands/update.ts';
import { webhooksVerify } from './commands/verify.ts';

export const commands: readonly Command[] = [
  webhooksList,
  webhooksGet,
  webhooksCreate,
  webhooksUpdate,
  webhooksEnable,
  webhooksRotate,
  webhooksDelete,
  webhooksTest,
  webhooksDeliveries,
  webhooksSamples,
  webhooksDoctor,
  webhooksVerify,
  webhooksListen,
  webhooksSign,
  webhooksSend,
  webhooksReplay,
  webhooksCheckReceiver,
  webhooksShow,
  webhooksSecretsList,
  webhooksSecretsImport,
  webhooksSecretsExport,
  webhooksSecretsDelete,
];
