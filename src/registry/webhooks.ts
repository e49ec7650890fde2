import type { Command } from '../cli/command.ts';
import { webhooksCheckReceiver } from '../commands/webhooks/check-receiver.ts';
import { webhooksCreate } from '../commands/webhooks/create.ts';
import { webhooksDelete } from '../commands/webhooks/delete.ts';
import { webhooksDeliveries } from '../commands/webhooks/deliveries.ts';
import { webhooksDoctor } from '../commands/webhooks/doctor.ts';
import { webhooksEnable } from '../commands/webhooks/enable.ts';
import { webhooksGet } from '../commands/webhooks/get.ts';
import { webhooksList } from '../commands/webhooks/list.ts';
import { webhooksListen } from '../commands/webhooks/listen.ts';
import { webhooksReplay } from '../commands/webhooks/replay.ts';
import { webhooksRotate } from '../commands/webhooks/rotate.ts';
import { webhooksSamples } from '../commands/webhooks/samples.ts';
import { webhooksSecretsDelete } from '../commands/webhooks/secrets-delete.ts';
import { webhooksSecretsExport } from '../commands/webhooks/secrets-export.ts';
import { webhooksSecretsImport } from '../commands/webhooks/secrets-import.ts';
import { webhooksSecretsList } from '../commands/webhooks/secrets-list.ts';
import { webhooksSend } from '../commands/webhooks/send.ts';
import { webhooksShow } from '../commands/webhooks/show.ts';
import { webhooksSign } from '../commands/webhooks/sign.ts';
import { webhooksTest } from '../commands/webhooks/test.ts';
import { webhooksUpdate } from '../commands/webhooks/update.ts';
import { webhooksVerify } from '../commands/webhooks/verify.ts';

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
