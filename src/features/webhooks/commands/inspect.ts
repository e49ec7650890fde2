import { type Answer, recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { RawJson } from '../../../output/types.ts';
import type { ReadEvent } from '../delivery.ts';
import { DeliveryFilter, FILTER_FLAGS } from '../delivery-filter.ts';
import { type EventView, eventList, eventRecord } from '../event-columns.ts';
import { type EventVerdict, type FoundEvent, readEvents } from '../event-input.ts';
import { DELIVERY_FORMATS, InputErrors } from '../formats.ts';
import { GIVEN_HEADER_FLAGS } from '../options.ts';
import { SECRET_FLAGS, signingSecrets } from '../signing-secrets.ts';

const { group: _, ...HEADER_PREFIX_FLAG } = GIVEN_HEADER_FLAGS['header-prefix'];
const UNKNOWN = { verdict: 'unsigned', secret: undefined } as const;

export const webhooksInspect = recordCommand({
  id: 'webhooks inspect',
  aliases: ['show'],
  summary: 'Show the event of a delivery in readable form',
  description:
    'Reads an event, an array of events, or deliveries in any format that svc webhooks verify reads. With a secret, svc first verifies each delivery, whatever its age. An event with an invalid signature is not shown: exit 1.',
  details:
    'One event is shown in full, several as a list. An unreadable line of a recording is reported, the others are shown, and the exit status is 2. Texts are escaped and never rendered. JSON is the event exactly as received.',
  effect: 'read',
  args: { file: { help: 'File, or - for standard input (the default)', complete: 'files' } },
  flags: {
    ...FILTER_FLAGS,
    'event-id': { type: 'string', value: 'id', group: FILTER_FLAGS.since.group, help: 'Only this event' },
    format: { type: 'choice', choices: DELIVERY_FORMATS, default: 'auto', help: 'Format of the file' },
    'header-prefix': HEADER_PREFIX_FLAG,
    full: { type: 'boolean', help: 'Do not shorten texts' },
    unverified: { type: 'boolean', help: 'Show events whose signature is invalid' },
    ...SECRET_FLAGS,
  },
  exits: ['signature_invalid'],
  examples: [
    {
      run: 'svc webhooks inspect delivery.http --secret-file key.txt',
      why: 'The event of a delivery, if it is genuine',
    },
    { run: 'svc webhooks inspect rec.ndjson --event-id evt_2 --full', why: 'One complete event of a recording' },
  ],
  output: eventRecord({ full: false, verdictOf: () => UNKNOWN }),
  async run(input, ctx): Promise<Answer<never>> {
    const { file = '-', format, full, unverified, eventId, headerPrefix: prefix } = input;
    const secrets = await signingSecrets(input, ctx);
    const { inputChunks: chunks, notice } = ctx;
    const filter = new DeliveryFilter(input, prefix);
    const bad = new InputErrors(notice);
    const unusable = (error: SvcError): void => bad.add(error);
    const known = new WeakMap<ReadEvent['value'], FoundEvent>();
    const values: ReadEvent['value'][] = [];
    const refused: FoundEvent[] = [];
    const others: string[] = [];
    const options = { format, secrets, filter, prefix, unverified, chunks, notice, unusable };
    for await (const found of readEvents(file, options)) {
      const { event, source, verdict } = found;
      if (!READABLE.has(verdict)) refused.push(found);
      if (event === undefined) {
        if (READABLE.has(verdict) || unverified) others.push(`${source}: the body is not an event`);
      } else if (eventId === undefined || event.id === eventId) {
        known.set(event.value, found);
        values.push(event.value);
      }
    }
    filter.report(notice);
    const [value] = values;
    if (value === undefined) throw bad.failure('shown') ?? nothing(refused[0], others[0], file);
    if (!unverified) for (const { source, verdict } of refused) ctx.notice(`${source}: ${verdict}: not shown`);
    for (const other of others) ctx.notice(other);
    const whole: Pick<Answer<never>, 'code' | 'footer'> = {
      code: refused.length === 0 ? undefined : 'signature_invalid',
      // After the readable part: something could not be read.
      footer: () => {
        const failure = bad.failure('shown');
        if (failure !== undefined) throw failure;
        return undefined;
      },
    };
    const view: EventView = { full, verdictOf: (shown) => known.get(shown) ?? UNKNOWN };
    if (values.length > 1) return { ...whole, value: values, as: eventList(view) };
    const bytes = known.get(value)?.bytes;
    const raw = ctx.wants.rawJson && bytes !== undefined;
    return { ...whole, value: raw ? new RawJson(once(bytes)) : value, as: eventRecord(view) };
  },
});

/** Verdicts with which an event may be shown. */
const READABLE: ReadonlySet<EventVerdict> = new Set<EventVerdict>(['valid', 'unsigned', 'unchecked']);

function nothing(refused: FoundEvent | undefined, other: string | undefined, file: string): SvcError {
  if (refused === undefined) {
    const source = file === '-' ? 'stdin' : file;
    return new SvcError('file_unusable', other ?? `${source}: no matching event`);
  }
  const { verdict, source } = refused;
  return new SvcError('signature_invalid', `${verdict}: ${source}: the event is not shown`, {
    hint: '"svc webhooks verify" explains why; --unverified shows it anyway',
  });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
