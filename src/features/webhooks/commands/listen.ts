import { listCommand, type RunContext } from '../../../cli/command.ts';
import { FILE, type Flags, section } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { awaitedEvents, EVENT_FLAG, eventFilter, eventMatcher } from '../event-types.ts';
import { parseByteSize, parseTolerance, TOLERANCE_FLAG } from '../options.ts';
import { openTargets, type Targets } from '../receiver/forwarder.ts';
import { checkPath, endpointsOf, ReadyFile, secretSource, spoolOf, tlsPair } from '../receiver/listen-options.ts';
import { openRecording, type RecordingWriter } from '../receiver/recording-writer.ts';
import {
  introduction,
  RECEIVER_LIST,
  type ReadyRow,
  type ReceiverRow,
  receiverList,
  summary,
} from '../receiver/rows.ts';
import { openSeenFile, SeenEvents, type SeenFile } from '../receiver/seen-events.ts';
import { ReceiverSession, type SessionOptions } from '../receiver/session.ts';
import type { Spool } from '../receiver/spool.ts';
import { describeHint } from '../signature-hints.ts';
import { SECRET_FLAGS } from '../signing-secrets.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';

const LISTEN_FLAGS = section('Listen options', {
  port: { type: 'integer', min: 0, max: 65_535, default: 8787, help: 'Port; 0 for a free one' },
  host: { type: 'string', value: 'address', default: '127.0.0.1', help: 'Address to listen on' },
  path: { type: 'string', default: '/', help: 'Path that takes deliveries', check: checkPath },
  'tls-cert': { ...FILE, help: 'TLS certificate chain (PEM)' },
  'tls-key': { ...FILE, help: 'TLS key (PEM)' },
  'max-body': { type: 'string', value: 'size', default: '32MiB', help: 'Largest body', check: parseByteSize },
  respond: { type: 'integer', value: 'status', min: 200, max: 599, default: 204, help: 'Response if valid' },
  'on-invalid': { type: 'choice', choices: ['401', '202'], default: '401', help: 'Response if invalid' },
  'ready-file': { ...FILE, help: 'Write port, url and pid (JSON) here while listening' },
});

const VERIFICATION_FLAGS = {
  tolerance: TOLERANCE_FLAG,
  'insecure-no-verify': {
    type: 'boolean',
    group: TOLERANCE_FLAG.group,
    help: 'Accept every delivery: anyone can send events',
  },
} as const satisfies Flags;

const FORWARDING_FLAGS = section('Forwarding options', {
  'forward-to': { type: 'string', value: 'url', help: 'Forward valid deliveries to this URL' },
  forward: { type: 'string', repeat: true, value: 'type=url', help: 'Forward a type to its own URL' },
  'forward-timeout': {
    type: 'duration',
    positive: true,
    default: '4s500ms',
    help: 'How long to wait for its response',
  },
  'forward-external': { type: 'boolean', help: 'Allow a target on another machine' },
  'forward-all-headers': { type: 'boolean', help: 'Forward all end-to-end headers' },
  'forward-duplicates': { type: 'boolean', help: 'Forward duplicates, too' },
  'insecure-forward-tls': { type: 'boolean', help: 'Do not check its certificate' },
  ack: {
    type: 'choice',
    choices: ['after', 'early'],
    default: 'after',
    help: 'Respond after the target, or 202 at once',
  },
  dedupe: { type: 'choice', choices: ['id', 'off'], default: 'id', help: 'How to recognize duplicates' },
  'dedupe-file': { ...FILE, help: 'Remember events in this file across restarts' },
});

const TUNNEL_FLAGS = section('Tunnel options', {
  tunnel: { type: 'string', value: 'command', help: 'Run a tunnel: cloudflared, ngrok, … or a command' },
  'tunnel-url': { type: 'string', value: 'url', help: 'Its public address, if it prints none' },
});

const RECORDING_FLAGS = section('Recording options', {
  record: { ...FILE, help: 'Write deliveries to a new file' },
  append: { type: 'boolean', help: 'With --record: append to an existing file' },
});

const SPOOL_FLAGS = section('Forwarding options', {
  spool: { ...FILE, help: 'Answer at once, and keep events here until the target takes them' },
  'spool-limit': {
    type: 'string',
    value: 'size',
    default: '1GiB',
    help: 'Most waiting events; then 503',
    check: parseByteSize,
  },
});

const STOP_FLAGS = section('Stop conditions', {
  count: { type: 'integer', min: 1, help: 'End after this many accepted events' },
  'until-event': { type: 'string', repeat: true, value: 'type|id', help: 'End after this event' },
  wait: { type: 'duration', positive: true, help: 'End after this time' },
  'fail-on-invalid': { type: 'boolean', help: 'End at the first invalid delivery' },
  'keep-going': { type: 'boolean', help: 'Do not end after ten invalid deliveries in a row' },
});

const OUTPUT_FLAGS = section('Output options', {
  event: { ...EVENT_FLAG, help: 'Print and forward only these event types' },
  filter: { type: 'string', value: 'expression', help: 'Only events for which this JMESPath is true' },
  'show-body': { type: 'boolean', help: 'Print the bodies of valid deliveries' },
  'show-invalid': { type: 'boolean', help: 'Print the bodies of invalid deliveries' },
});

export const webhooksListen = listCommand({
  id: 'webhooks listen',
  foreignOptions: {
    '-p': { meant: '--port' },
    '--print-secret': { hint: 'svc webhooks secrets export <id> prints a stored secret' },
    '--skip-verify': { meant: '--insecure-forward-tls' },
  },
  summary: 'Receive, verify, record and forward deliveries',
  description:
    'Listens on this machine and verifies the exact bytes before parsing anything. The response is 204 to a valid delivery (with --forward-to, the status of the target) and 401 to an invalid one. Only POST to --path is accepted. With --tunnel, svc makes itself public and subscribes; it deletes the subscription when it ends.',
  details: `--tunnel takes cloudflared, ngrok, localhost.run, serveo or localtunnel, or a command line for the shell, in which {port} and $PORT are the local port. svc reads the https address from its output, creates a subscription for it (--event sets its event types), keeps its secret in memory, and sends the test event of the service. However svc ends, it deletes the subscription and stops the program. After a kill, the next run with --tunnel finds what was left: it asks at a terminal, removes it with --yes, and says how to remove it otherwise.
Ctrl-C ends svc; deliveries in progress then have 2 s to finish.
An event that was accepted before (among the last 100,000, within a day; with --dedupe-file also before a restart) is answered 2xx and not forwarded again. Requests of browsers are refused. GET / answers 200, for health checks of tunnels.
With --forward-to, svc forwards the unchanged bytes and the five documented headers in their order. A redirect is not followed and counts as a failure; no response is 502, a late one 504. --forward gives an event type its own target; each row then names the target, the summary counts for each target, and events without a target are only answered. --endpoint path=id (repeatable) verifies deliveries to that path with the stored secret of this endpoint, and counts duplicates for each endpoint; if all secrets have a path, only these paths take deliveries. --filter is evaluated on the event, and an event for which it fails does not match. With --record, svc writes every delivery to the file before it responds; if the file cannot be written, it responds 500, and the service sends the delivery again. Events that --event or --filter leave out are answered 2xx and recorded, but neither forwarded nor printed; svc reports the first of each type, and their number at the end.
With --spool, svc answers an event once it is on disk, and forwards the events of each target in order, one at a time. While a target does not answer, or answers 5xx, 3xx, 408, 421, 425 or 429, svc tries again, at first after 0.5 s and then ever later, up to every 30 s. The next run goes on with what is left. A request whose answer is on disk is never repeated. A request without an answer is repeated, because the service does not send the event again: after a timeout, and after a kill in the moment between the answer and its line on disk. It has the same event id and X-Service-Delivery, so that the target can drop it, and its row has "repeated". A signature older than four minutes is replaced by a new one with the same secret. An event that the target refuses six times (any other 4xx) goes to FILE.refused, which svc webhooks replay reads. Beyond --spool-limit, svc responds 503, and 500 if it cannot write the file; the service then sends the event again. The spool remembers its events for a day, so --dedupe-file is not needed.
Exit 0 when --count or --until-event is reached, which only valid, new and accepted events do; 1 at the first invalid delivery with --fail-on-invalid, or after ten in a row without --keep-going; 9 when --wait is over; 130 after Ctrl-C.
Each line of NDJSON has a "type": first "ready" (port, url, verify, forward, routes, endpoints, record, events, tunnel, pid), then "delivery" (received_at, source, status, valid, signature_ok, timestamp, age_s, tolerance_s, event_id, event_type, endpoint_id, secret_index, body_bytes, body_sha256, hints, notes, duplicate, forward, response, ms), "refused" for a request that is not a delivery, "warning" (message), and "end" last (deliveries, valid, duplicates, invalid, refused, accepted, filtered, spool). With --spool also "forwarded" (at, received_at, event_id, event_type, target, status, ms, accepted, repeated), "unreachable" (at, target, error, waiting) and "recovered". Event id and type come from the signed body.`,
  effect: 'write',
  service: 'webhooks',
  // It takes back what it writes, so its failures are those of its rows.
  callOf: () => ({ service: 'webhooks', effect: 'read' }),
  streams: () => true,
  flags: {
    ...LISTEN_FLAGS,
    ...TUNNEL_FLAGS,
    ...SECRET_FLAGS,
    endpoint: { ...SECRET_FLAGS.endpoint, value: '[path=]id', help: 'Stored secret, for one path or for --path' },
    ...VERIFICATION_FLAGS,
    ...FORWARDING_FLAGS,
    ...SPOOL_FLAGS,
    ...RECORDING_FLAGS,
    ...STOP_FLAGS,
    ...OUTPUT_FLAGS,
  },
  exits: ['signature_invalid', 'still_pending'],
  examples: [
    {
      run: 'svc webhooks listen --tunnel cloudflared --forward-to http://localhost:3000/hook',
      why: 'From nothing to the first event: a tunnel, a subscription, a test event',
    },
    {
      run: 'svc webhooks listen --secret-file secret.txt --forward-to http://localhost:3000/hook',
      why: 'Between a tunnel and the program under development',
    },
    {
      run: 'svc webhooks listen --secret-file secret.txt --record deliveries.ndjson',
      why: 'Record deliveries for svc webhooks replay',
    },
    {
      run: 'svc webhooks listen --secret-file secret.txt --forward-to http://localhost:3000/hook --spool events.spool',
      why: 'Lose no event while the program is away',
    },
    {
      run: 'svc webhooks listen --secret-env SECRET --port 0 --ready-file ready.json --count 1 --wait 2m -o ndjson',
      why: 'In CI: wait two minutes for one event',
    },
  ],
  output: RECEIVER_LIST,
  async run(input, ctx) {
    const { endpoints, ...main } = await endpointsOf(input, secretSource(input, ctx) === 'input', ctx);
    const events = eventFilter(input.event);
    const untilEvents = new Set(awaitedEvents('--until-event', input.untilEvent, events));
    const matches = input.filter === undefined ? undefined : await eventMatcher(input.filter, ctx);
    const tls = tlsPair(input, ctx);
    const { record, tunnel: command } = input;
    const tunneling = command === undefined ? undefined : await import('../tunnel/tunnel.ts');
    const tunnelInput = { ...input, tunnel: command ?? '', events };
    if (ctx.dryRun && tunneling !== undefined) return { value: await tunneling.planTunnel(tunnelInput, ctx) };
    if (input.append && record === undefined)
      throw new SvcError('usage', '--append needs --record, which names the file');
    const targets = openTargets(input, events, ctx);
    if (input.dedupeFile !== undefined && input.dedupe === 'off') {
      throw new SvcError('usage', '--dedupe-file cannot be combined with --dedupe off');
    }
    const verifying = [...(main.secrets ?? []), ...[...endpoints.values()].flatMap((one) => one.secrets)];
    const spool = input.spool === undefined ? undefined : await spoolOf(input.spool, input, targets, verifying, ctx);
    const seenFile = input.dedupeFile === undefined ? undefined : openSeen(input.dedupeFile, ctx);
    const seen = input.dedupe === 'off' ? undefined : (seenFile ?? spool?.seen ?? new SeenEvents());
    const recording = record === undefined ? undefined : await openRecorder(record, input.append, spool, ctx);
    const tunnel = tunneling && new tunneling.Tunnel(tunnelInput, ctx);
    const options: SessionOptions = {
      ...input,
      path: main.path,
      endpoints,
      tls,
      secrets: tunnel?.secrets ?? main.secrets,
      targets,
      matches,
      recording,
      spool,
      maxBody: parseByteSize(input.maxBody),
      toleranceS: parseTolerance(input.tolerance),
      onInvalid: Number(input.onInvalid),
      early: input.ack === 'early',
      events: new Set(events),
      untilEvents,
      seen,
      seenFile,
      digests: !ctx.wants.table,
      waitMs: input.wait,
      now: ctx.now,
      signal: tunnel?.signal ?? ctx.signal,
      sleep: ctx.sleep,
      notice: ctx.wants.table ? ctx.notice : undefined,
    };
    const session = new ReceiverSession(options);
    const place = { record, targets, readyFile: input.readyFile, tunnel };
    return {
      value: received(session, options, place, ctx),
      as: receiverList(describeHint),
      code: () => session.code ?? tunnel?.failure?.code,
      footer: () => summary(session.tally),
    };
  },
});

interface Place {
  readonly record: string | undefined;
  readonly targets: Targets | undefined;
  readonly readyFile: string | undefined;
  readonly tunnel: Tunnel | undefined;
}

/** From the `ready` row to the last. */
async function* received(
  session: ReceiverSession,
  { secrets, endpoints = new Map(), host, path, tls, events, spool }: SessionOptions,
  { record, targets, readyFile, tunnel }: Place,
  ctx: RunContext,
): AsyncGenerator<ReceiverRow> {
  let readiness: ReadyFile | undefined;
  try {
    if (readyFile !== undefined) readiness = new ReadyFile(readyFile);
    const port = await session.start();
    const url = receiverUrl(host, port, path, tls !== undefined);
    targets?.refuseLoop(url);
    const facts = await tunnel?.open(port, (error) => session.rows.end(error));
    session.startWait();
    const ready: ReadyRow = {
      type: 'ready',
      port,
      url: url.href,
      verify: secrets !== undefined,
      forward: targets?.rest?.href ?? null,
      routes: targets?.routes,
      endpoints: endpoints.size === 0 ? undefined : Object.fromEntries([...endpoints].map(([on, { id }]) => [on, id])),
      record: record ?? null,
      spool: spool && { file: spool.path, waiting: spool.tally.waiting },
      events: events.size === 0 ? null : [...events],
      tunnel: facts,
      pid: ctx.pid,
    };
    readiness?.announce({ port, url: url.href, pid: ctx.pid });
    if (ctx.wants.table) {
      const all = new Set([...(secrets ?? []), ...[...endpoints.values()].flatMap((one) => one.secrets)]);
      for (const line of introduction(ready, secrets && all.size)) ctx.notice(line);
    }
    yield ready;
    yield* session.rows;
    yield { type: 'end', ...session.tally };
    if (!ctx.wants.table && session.tally.filtered > 0) ctx.notice(summary(session.tally));
  } finally {
    await session.close();
    readiness?.withdraw();
    await tunnel?.close();
  }
}

function receiverUrl(host: string, port: number, path: string, tls: boolean): URL {
  const name = host.includes(':') ? `[${host}]` : host;
  return new URL(`${tls ? 'https' : 'http'}://${name}:${port}${path}`);
}

async function openRecorder(
  path: string,
  append: boolean,
  spool: Spool | undefined,
  ctx: RunContext,
): Promise<RecordingWriter> {
  try {
    const { writer, notices } = openRecording(path, { append });
    for (const text of notices) ctx.notice(`warning: ${text}`);
    return writer;
  } catch (error) {
    await spool?.close();
    throw error;
  }
}

function openSeen(path: string, ctx: RunContext): SeenFile {
  return openSeenFile(path, ctx.now(), (why) =>
    ctx.notice(`warning: ${path} cannot be written: ${why}: duplicates may be forwarded after a restart`),
  );
}
