import { commandsOf, type Sections } from '../../cli/command.ts';

export const sections: Sections = {
  'Deliveries on this machine': {
    verify: async () => (await import('./commands/verify.ts')).webhooksVerify,
    listen: async () => (await import('./commands/listen.ts')).webhooksListen,
    send: async () => (await import('./commands/send.ts')).webhooksSend,
    replay: async () => (await import('./commands/replay.ts')).webhooksReplay,
    sign: async () => (await import('./commands/sign.ts')).webhooksSign,
    inspect: async () => (await import('./commands/inspect.ts')).webhooksInspect,
    samples: async () => (await import('./commands/samples.ts')).webhooksSamples,
    'check-receiver': async () => (await import('./commands/check-receiver.ts')).webhooksCheckReceiver,
  },
  Subscriptions: {
    list: async () => (await import('./commands/list.ts')).webhooksList,
    get: async () => (await import('./commands/get.ts')).webhooksGet,
    create: async () => (await import('./commands/create.ts')).webhooksCreate,
    update: async () => (await import('./commands/update.ts')).webhooksUpdate,
    test: async () => (await import('./commands/test.ts')).webhooksTest,
    deliveries: async () => (await import('./commands/deliveries.ts')).webhooksDeliveries,
    rotate: async () => (await import('./commands/rotate.ts')).webhooksRotate,
    delete: async () => (await import('./commands/delete.ts')).webhooksDelete,
    doctor: async () => (await import('./commands/doctor.ts')).webhooksDoctor,
  },
  'Signing secrets': {
    'secrets list': async () => (await import('./commands/secrets-list.ts')).webhooksSecretsList,
    'secrets import': async () => (await import('./commands/secrets-import.ts')).webhooksSecretsImport,
    'secrets export': async () => (await import('./commands/secrets-export.ts')).webhooksSecretsExport,
    'secrets delete': async () => (await import('./commands/secrets-delete.ts')).webhooksSecretsDelete,
  },
};

export const commands = commandsOf(sections);
