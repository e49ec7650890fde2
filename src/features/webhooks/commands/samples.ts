import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput } from '../../../output/types.ts';
import { errorCode, fileFailure } from '../../../store/own-file.ts';
import { openRecordings } from '../api.ts';
import { EVENT_FLAG, eventTypes, withSuggestion } from '../event-types.ts';
import type { Sample } from '../schema.ts';

interface ShownSample {
  /** Made up by the service, which had no real one. */
  readonly synthetic: boolean;
  /** Where it was saved. */
  readonly file?: string;
  readonly [field: string]: unknown;
}

const SAMPLE_LIST: ListOutput<ShownSample> = {
  kind: 'list',
  columns: [
    { name: 'id', cell: ({ id }) => text(id) },
    { name: 'type', cell: ({ type }) => text(type) },
    { name: 'kind', cell: ({ synthetic }) => (synthetic ? { text: 'synthetic', tone: 'dim' } : 'real') },
    { name: 'created', cell: (sample) => timeCell(sample['created_at']) },
    { name: 'title', cell: ({ data }) => text((data as { title?: unknown } | undefined)?.title), flex: true },
  ],
  id: ({ id }) => text(id) ?? '',
  empty: 'the service has no samples of it',
};
const SAVED_LIST: ListOutput<ShownSample> = {
  ...SAMPLE_LIST,
  columns: [...SAMPLE_LIST.columns, { name: 'file', cell: ({ file }) => file, flex: true }],
};

export const webhooksSamples = listCommand({
  id: 'webhooks samples',
  summary: 'Events as the service sends them, to try a receiver with',
  description:
    'Recent real ones where there are some, transcripts of people among them, else one that is made up (synthetic). They are no deliveries: nobody signed them, and their bytes are not those that were delivered. Sign and send one with svc webhooks send. -o json has them whole; synthetic and file are added.',
  effect: 'read',
  service: 'webhooks',
  flags: {
    event: EVENT_FLAG,
    limit: { type: 'integer', value: 'n', min: 1, max: 10, help: 'At most so many (the service sends 3)' },
    save: { type: 'string', value: 'directory', complete: 'files', help: 'Write each into a new file there, mode 600' },
  },
  examples: [
    { run: 'svc webhooks samples --event summary.completed --limit 1 -o json', why: 'One of them, whole' },
    { run: 'svc webhooks samples --save samples', why: 'Files for svc webhooks send --body' },
  ],
  output: SAMPLE_LIST,
  outputOf: ({ save }) => (save === undefined ? SAMPLE_LIST : SAVED_LIST),
  async run({ event, limit, save }, ctx) {
    const types = event.length === 0 ? [undefined] : eventTypes(event);
    const recordings = openRecordings(ctx.target);
    const samples: Sample[] = [];
    // The service takes one type a request.
    for (const type of types) {
      try {
        for await (const sample of recordings.samples({ event: type, limit })) samples.push(sample);
      } catch (error) {
        throw withSuggestion(error, type === undefined ? [] : [type]);
      }
    }
    const value = samples.map((sample): ShownSample => {
      return { ...sample, synthetic: text(sample['id'])?.startsWith('evt_sample_') === true };
    });
    if (save === undefined) return { value };
    const files = saveSamples(samples, save);
    return { value: value.map((sample, index) => ({ ...sample, file: files[index] })), as: SAVED_LIST };
  },
});

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function timeCell(value: unknown): { readonly time: string } | undefined {
  return typeof value === 'string' && value !== '' ? { time: value } : undefined;
}

/** The path of each, in their order. Exit 2 where one is there already. */
function saveSamples(samples: readonly Readonly<Record<string, unknown>>[], folder: string): readonly string[] {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileFailure(`--save: cannot make ${folder}`, error);
  }
  return samples.map((sample) => {
    const body = `${JSON.stringify(sample, null, 2)}\n`;
    const path = join(folder, `${fileName(sample['id'], body)}.json`);
    try {
      writeFileSync(path, body, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (errorCode(error) === 'EEXIST') {
        throw new SvcError('file_unusable', `--save: ${path} is there already, and is not overwritten`);
      }
      throw fileFailure(`--save: cannot write ${path}`, error);
    }
    return path;
  });
}

function fileName(id: unknown, body: string): string {
  if (typeof id === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(id)) return id;
  return `sample-${createHash('sha256').update(body).digest('hex').slice(0, 16)}`;
}
