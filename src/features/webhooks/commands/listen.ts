import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { isLoopback } from '../../../http/address.ts';
import { awaitedEvents, EVENT_FLAG, eventFilter } from '../event-types.ts';
import { addressWarnings, parseByteSize, parseTolerance, TOLERANCE_FLAG } from '../options.ts';
import { Forwarder, forwardTarget } from '../receiver/forwarder.ts';
import { ReadyFile } from '../receiver/ready-file.ts';
import { openRecording, type RecordingWriter } from '../receiver/recording-writer.ts';
import { RECEIVER_LIST, type ReadyRow, type ReceiverRow, receiverList, summary } from '../receiver/rows.ts';
import { openSeenFile, SeenEvents, type SeenFile } from '../receiver/seen-events.ts';
import { ReceiverSession, type SessionOptions } from '../receiver/session.ts';
import { describeHint } from '../signature-hints.ts';
import { requireSecrets, SECRET_FLAGS } from '../signing-secrets.ts';

/** For the answer to a delivery (doc 2 §6). */
const SERVICE_WAITS_MS = 5_000;

export const webhooksListen = listCommand({
  id: 'webhooks listen',
  summary: 'Receive deliveries on this machine: verify, record, forward them',
  description: `A local receiver. It verifies the exact bytes before anything is parsed, and answers within the 5 s that the service waits: an invalid delivery 401, a valid one 204, or as --forward-to's target did. An event that was accepted before (the last 100,000, for a day; with --dedupe-file also before a restart) is answered 2xx again and not forwarded. Nothing but POST to --path is taken; what a browser sends is refused; GET / answers 200 to the health checks of tunnels.
With --forward-to the bytes, and the five documented headers in their order, go on as they came; a redirect is not followed and counts as failure, no answer is 502, one that is late 504. With --record every delivery is in the file before it is answered; if the file cannot be written the answer is 500, and the service sends it again. Events that --event leaves out are answered 2xx and recorded, but neither forwarded nor shown, and do not end it: the first of each type is reported, and their number at the end.
Ends with 0 when --count or --until-event is reached, which only events do that were valid, new and accepted; with 1 at the first invalid delivery with --fail-on-invalid, and after ten in a row without --keep-going; with 9 when --wait is over; with 130 by Ctrl-C. What is under way then has 2 s to end.
NDJSON has a "type" in each line: "ready" first (port, url, verify, forward, record, events, pid), then "delivery" (received_at, source, verdict, valid, signature_ok, timestamp, age_s, tolerance_s, event_id, event_type, secret_index, body_bytes, body_sha256, hints, notes, duplicate, forward, response, ms), "refused" for what was no delivery, "warning" (message), and "end" last (deliveries, valid, duplicates, invalid, refused, accepted, filtered). Event id and type are those of the signed body.`,
  effect: 'read',
  streams: () => true,
  flags: {
    port: {
      type: 'integer',
      value: 'n',
      min: 0,
      max: 65_535,
      default: 8787,
      help: 'Port to listen on, 0 for a free one',
    },
    host: {
      type: 'string',
      value: 'address',
      default: '127.0.0.1',
      help: 'Address to listen on; others reach any but loopback',
    },
    path: { type: 'string', value: 'path', default: '/', help: 'Path that takes deliveries', check: checkPath },
    'tls-cert': { type: 'string', value: 'file', complete: 'files', help: 'Certificate chain (PEM) to speak TLS with' },
    'tls-key': { type: 'string', value: 'file', complete: 'files', help: 'Its key (PEM)' },
    ...SECRET_FLAGS,
    tolerance: TOLERANCE_FLAG,
    'insecure-no-verify': { type: 'boolean', help: 'Take everything as valid: anybody can send events then' },
    'forward-to': { type: 'string', value: 'url', help: 'Hand valid deliveries on to this address' },
    'forward-timeout': { type: 'duration', positive: true, default: '4s500ms', help: 'How long its answer may take' },
    'forward-external': { type: 'boolean', help: 'It may be on another machine' },
    'forward-all-headers': {
      type: 'boolean',
      help: 'Hand on all end-to-end headers, not the five documented ones only',
    },
    'forward-duplicates': { type: 'boolean', help: 'Hand on events that were accepted before, too' },
    'insecure-forward-tls': { type: 'boolean', help: 'Do not check its certificate' },
    ack: {
      type: 'choice',
      choices: ['after', 'early'],
      default: 'after',
      help: 'Answer after the target has, or 202 at once, for one that is slow',
    },
    respond: { type: 'integer', value: 'status', min: 200, max: 599, default: 204, help: 'Answer to a valid delivery' },
    'on-invalid': { type: 'choice', choices: ['401', '202'], default: '401', help: 'Answer to an invalid one' },
    event: EVENT_FLAG,
    dedupe: { type: 'choice', choices: ['id', 'off'], default: 'id', help: 'Tell repeated events by their id' },
    'dedupe-file': {
      type: 'string',
      value: 'file',
      complete: 'files',
      help: 'Know repeated events again after a restart: keep them in this file',
    },
    record: { type: 'string', value: 'file', complete: 'files', help: 'Write what comes to this new file (NDJSON)' },
    append: { type: 'boolean', help: 'With --record: continue a file that is there' },
    'max-body': {
      type: 'string',
      value: 'size',
      default: '32MiB',
      help: 'Longest body that is taken',
      check: parseByteSize,
    },
    'show-body': { type: 'boolean', help: 'Show the bodies of valid deliveries' },
    'show-invalid': { type: 'boolean', help: 'Show the bodies of invalid ones' },
    count: { type: 'integer', value: 'n', min: 1, help: 'End after so many accepted events' },
    'until-event': {
      type: 'string',
      repeat: true,
      value: 'type|id',
      help: 'End after an accepted event of one of these types or ids',
    },
    wait: { type: 'duration', positive: true, help: 'End after this time' },
    'fail-on-invalid': { type: 'boolean', help: 'End at the first invalid delivery' },
    'keep-going': { type: 'boolean', help: 'Go on however many in a row are invalid' },
    'ready-file': {
      type: 'string',
      value: 'file',
      complete: 'files',
      help: 'Write port, url and pid (JSON) here while it listens',
    },
  },
  exits: ['signature_invalid', 'still_pending'],
  examples: [
    {
      run: 'svc webhooks listen --secret-file secret.txt --forward-to http://localhost:3000/hook',
      why: 'Between a tunnel and the program under development',
    },
    {
      run: 'svc webhooks listen --secret-file secret.txt --record deliveries.ndjson',
      why: 'Record what comes, for svc webhooks replay',
    },
    {
      run: 'svc webhooks listen --secret-env SECRET --port 0 --ready-file ready.json --count 1 --wait 2m -o ndjson',
      why: 'In CI: wait for one event, at most two minutes',
    },
  ],
  output: RECEIVER_LIST,
  async run(input, ctx) {
    const secrets = input.insecureNoVerify ? undefined : await requireSecrets(input, ctx);
    const events = eventFilter(input.event);
    const untilEvents = new Set(awaitedEvents(input.untilEvent, events));
    const tls = tlsPair(input, ctx);
    const { forwardTo, record } = input;
    if (input.append && record === undefined)
      throw new SvcError('usage', '--append needs --record, which names the file');
    const forwarder = forwardTo === undefined ? undefined : openForwarder({ ...input, forwardTo }, ctx);
    if (input.dedupeFile !== undefined && input.dedupe === 'off') {
      throw new SvcError('usage', '--dedupe-file does not go with --dedupe off');
    }
    const seenFile = input.dedupeFile === undefined ? undefined : openSeen(input.dedupeFile, ctx);
    const recording = record === undefined ? undefined : openRecorder(record, input.append, ctx);
    const options: SessionOptions = {
      ...input,
      tls,
      secrets,
      forwarder,
      recording,
      maxBody: parseByteSize(input.maxBody),
      toleranceS: parseTolerance(input.tolerance),
      onInvalid: Number(input.onInvalid),
      early: input.ack === 'early',
      events: new Set(events),
      untilEvents,
      seen: input.dedupe === 'off' ? undefined : (seenFile ?? new SeenEvents()),
      seenFile,
      digests: !ctx.wants.table,
      waitMs: input.wait,
      now: ctx.now,
      signal: ctx.signal,
      sleep: ctx.sleep,
      notice: ctx.wants.table ? ctx.notice : undefined,
    };
    const session = new ReceiverSession(options);
    const place = { record, forward: forwarder?.url, readyFile: input.readyFile };
    return {
      value: received(session, options, place, ctx),
      as: receiverList(describeHint),
      code: () => session.code,
      footer: () => summary(session.tally),
    };
  },
});

interface Place {
  readonly record: string | undefined;
  readonly forward: URL | undefined;
  readonly readyFile: string | undefined;
}

/** From the ready row to the last. It releases everything, however it ends. */
async function* received(
  session: ReceiverSession,
  { secrets, host, path, tls, events }: SessionOptions,
  { record, forward, readyFile }: Place,
  ctx: RunContext,
): AsyncGenerator<ReceiverRow> {
  let readiness: ReadyFile | undefined;
  try {
    if (readyFile !== undefined) readiness = new ReadyFile(readyFile);
    const port = await session.start();
    const url = receiverUrl(host, port, path, tls !== undefined);
    if (forward !== undefined) refuseLoop(forward, url);
    const ready: ReadyRow = {
      type: 'ready',
      port,
      url: url.href,
      verify: secrets !== undefined,
      forward: forward?.href ?? null,
      record: record ?? null,
      events: events.size === 0 ? null : [...events],
      pid: ctx.pid,
    };
    readiness?.announce({ port, url: url.href, pid: ctx.pid });
    if (ctx.wants.table) for (const line of introduction(ready, secrets?.length)) ctx.notice(line);
    yield ready;
    yield* session.rows;
    yield { type: 'end', ...session.tally };
    if (!ctx.wants.table && session.tally.filtered > 0) ctx.notice(summary(session.tally));
  } finally {
    await session.close();
    readiness?.withdraw();
  }
}

function receiverUrl(host: string, port: number, path: string, tls: boolean): URL {
  const name = host.includes(':') ? `[${host}]` : host;
  return new URL(`${tls ? 'https' : 'http'}://${name}:${port}${path}`);
}

/** Each delivery would come back as the next. */
function refuseLoop(forward: URL, own: URL): void {
  const port = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
  const ownHost = forward.hostname === own.hostname || isLoopback(forward);
  if (port(forward) !== port(own) || !ownHost) return;
  throw new SvcError('invalid_value', `--forward-to: ${forward.href} is this listener itself`);
}

/** The first notices on standard error. `secrets`: how many there are to verify with. */
function introduction({ url, forward, record, events }: ReadyRow, secrets: number | undefined): string[] {
  const verify = secrets === undefined ? 'OFF' : `on (${secrets} ${secrets === 1 ? 'secret' : 'secrets'})`;
  const parts = [`listening on ${url}`, `verify: ${verify}`];
  if (forward !== null) parts.push(`forward: ${forward}`);
  if (record !== null) parts.push(`record: ${record}`);
  if (events !== null) parts.push(`events: ${events.join(', ')}`);
  const lines = [parts.join('  ')];
  if (!isLoopback(new URL(url))) lines.push('warning: other machines reach this address');
  if (secrets === undefined)
    lines.push('warning: nothing is verified: anyone who reaches this address can send events');
  if (record !== null) lines.push('warning: recordings hold transcripts, which are personal data');
  return lines;
}

interface ForwardInput {
  readonly forwardTo: string;
  readonly forwardExternal: boolean;
  readonly forwardTimeout: number;
  readonly forwardAllHeaders: boolean;
  readonly insecureForwardTls: boolean;
  readonly ack: 'after' | 'early';
}

function openForwarder(input: ForwardInput, ctx: RunContext): Forwarder {
  const url = forwardTarget(input.forwardTo, { external: input.forwardExternal });
  for (const warning of addressWarnings(url, { insecure: input.insecureForwardTls })) ctx.notice(`warning: ${warning}`);
  if (input.forwardTimeout >= SERVICE_WAITS_MS && input.ack === 'after') {
    ctx.notice('warning: the service waits 5 s for an answer: --forward-timeout should be shorter, or --ack early');
  }
  return new Forwarder(
    { url, allHeaders: input.forwardAllHeaders, timeoutMs: input.forwardTimeout },
    ctx.outbound({ insecure: input.insecureForwardTls }),
  );
}

function openRecorder(path: string, append: boolean, ctx: RunContext): RecordingWriter {
  const { writer, notices } = openRecording(path, { append });
  for (const text of notices) ctx.notice(`warning: ${text}`);
  return writer;
}

function openSeen(path: string, ctx: RunContext): SeenFile {
  return openSeenFile(path, ctx.now(), (why) =>
    ctx.notice(`warning: ${path} cannot be written: ${why}: events may be taken for new ones after a restart`),
  );
}

function tlsPair(
  { tlsCert: cert, tlsKey: key }: { readonly tlsCert: string | undefined; readonly tlsKey: string | undefined },
  ctx: RunContext,
): SessionOptions['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new SvcError('missing_value', '--tls-cert and --tls-key belong together', { hint: 'pass both' });
  }
  ctx.checkSecretFile(key);
  return { cert: pem('--tls-cert', cert, ctx), key: pem('--tls-key', key, ctx) };
}

function pem(option: string, path: string, ctx: RunContext): string {
  try {
    return ctx.readFile(path).toString();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new SvcError('file_unusable', `${option}: cannot read ${path}: ${why}`, { cause: error });
  }
}

function checkPath(text: string): void {
  if (/^\/[^?#\s]*$/.test(text)) return;
  throw new SvcError('invalid_value', `"${text}" is no path`, { hint: 'write it like /hook' });
}
