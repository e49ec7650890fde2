import { listCommand, type RunContext } from '../../../cli/command.ts';
import { FILE, type Flags, type Options, section } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { awaitedEvents, EVENT_FLAG, eventFilter } from '../event-types.ts';
import { parseTolerance, TOLERANCE_FLAG } from '../options.ts';
import { openTargets } from '../receiver/forwarder.ts';
import { ReadyFile } from '../receiver/ready-file.ts';
import { openRecording, type RecordingWriter } from '../receiver/recording-writer.ts';
import type { Endpoint } from '../receiver/requests.ts';
import {
  introduction,
  RECEIVER_LIST,
  type ReadyRow,
  type ReceiverRow,
  receiverList,
  summary,
} from '../receiver/rows.ts';
import { ReceiverSession, type SessionOptions } from '../receiver/session.ts';
import type { SigningSecret } from '../signature.ts';
import { describeHint } from '../signature-hints.ts';
import { requireSecrets, SECRET_FLAGS } from '../signing-secrets.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';

const LISTEN_FLAGS = section('Listen options', {
  port: { type: 'integer', min: 0, max: 65_535, default: 8787, help: 'Port; 0 for a free one' },
  host: { type: 'string', value: 'address', default: '127.0.0.1', help: 'Address to listen on' },
  path: { type: 'string', default: '/', help: 'Path that takes deliveries', check: checkPath },
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
});

const TUNNEL_FLAGS = section('Tunnel options', {
  tunnel: { type: 'string', value: 'command', help: 'Run a tunnel: cloudflared, ngrok or a command' },
  'tunnel-url': { type: 'string', value: 'url', help: 'Its public address, if it prints none' },
});

const STOP_FLAGS = section('Stop conditions', {
  count: { type: 'integer', min: 1, help: 'End after this many accepted events' },
  'until-event': { type: 'string', repeat: true, value: 'type|id', help: 'End after this event' },
  wait: { type: 'duration', positive: true, help: 'End after this time' },
  'fail-on-invalid': { type: 'boolean', help: 'End at the first invalid delivery' },
});

const OUTPUT_FLAGS = section('Output options', {
  event: { ...EVENT_FLAG, help: 'Print and forward only these event types' },
  'show-body': { type: 'boolean', help: 'Print the bodies of valid deliveries' },
  record: { ...FILE, help: 'Add all deliveries to this recording' },
});

const FLAGS = {
  ...LISTEN_FLAGS,
  ...TUNNEL_FLAGS,
  ...SECRET_FLAGS,
  endpoint: { ...SECRET_FLAGS.endpoint, value: '[path=]id', help: 'Stored secret, for one path or for --path' },
  ...VERIFICATION_FLAGS,
  ...FORWARDING_FLAGS,
  ...STOP_FLAGS,
  ...OUTPUT_FLAGS,
} as const satisfies Flags;

type ListenInput = Options<typeof FLAGS>;

export const webhooksListen = listCommand({
  id: 'webhooks listen',
  suggestFor: ['forward', 'tail'],
  summary: 'Receive, verify, record and forward deliveries',
  description:
    'Listens on this machine and verifies the exact bytes before parsing anything. The response is 204 to a valid delivery (with --forward-to, the status of the target) and 401 to an invalid one. Only POST to --path is accepted. With --tunnel, svc makes itself public and subscribes; it deletes the subscription when it ends.',
  details: `--tunnel takes cloudflared, ngrok, or a command line for the shell, in which {port} and $PORT are the local port. svc reads the https address from its output, creates a subscription for it (--event sets its event types), keeps its secret in memory, and sends the test event of the service. When svc ends, it deletes the subscription and stops the program. Only a kill leaves the subscription behind: svc webhooks list shows it.
Ctrl-C ends svc; deliveries in progress then have 2 s to finish.
An event that was accepted before (among the last 20,000, within a day) is answered 204 and not forwarded again. Requests of browsers are refused. GET / answers 200, for health checks of tunnels. A body may have 32 MiB.
With --forward-to, svc forwards the unchanged bytes and the five documented headers in their order. A redirect is not followed and counts as a failure; no response is 502, a late one 504. --forward gives an event type its own target; each row then names the target, the summary counts for each target, and events without a target are only answered. --endpoint path=id (repeatable) verifies deliveries to that path with the stored secret of this endpoint, and counts duplicates for each endpoint; if all secrets have a path, only these paths take deliveries. With --record, svc adds every delivery to the file before it responds; if the file cannot be written, it responds 500, and the service sends the delivery again. Events that --event leaves out are answered 204 and recorded, but neither forwarded nor printed; svc reports the first of each type, and their number at the end.
Exit 0 when --count or --until-event is reached, which only valid, new and accepted events do; 1 at the first invalid delivery with --fail-on-invalid; 9 when --wait is over; 130 after Ctrl-C.
Each line of NDJSON has a "type": first "ready" (port, url, verify, forward, routes, endpoints, record, events, tunnel, pid), then "delivery" (received_at, source, status, valid, signature_ok, timestamp, age_s, tolerance_s, event_id, event_type, endpoint_id, secret_index, body_bytes, body_sha256, hints, notes, duplicate, forward, response, ms), "refused" for a request that is not a delivery, "warning" (message), and "end" last (deliveries, valid, duplicates, invalid, refused, accepted, filtered). Event id and type come from the signed body.`,
  effect: 'write',
  service: 'webhooks',
  // It takes back what it writes, so its failures are those of its rows.
  callOf: () => ({ service: 'webhooks', effect: 'read' }),
  streams: () => true,
  flags: FLAGS,
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
      run: 'svc webhooks listen --secret-env SECRET --port 0 --ready-file ready.json --count 1 --wait 2m -o ndjson',
      why: 'In CI: wait two minutes for one event',
    },
  ],
  output: RECEIVER_LIST,
  async run(input, ctx) {
    checkTunnelOptions(input, ctx);
    const { path, secrets, endpoints } = await endpointsOf(input, ctx);
    const events = eventFilter(input.event);
    const untilEvents = new Set(awaitedEvents('--until-event', input.untilEvent, events));
    const { tunnel: command } = input;
    const tunneling = command === undefined ? undefined : await import('../tunnel/tunnel.ts');
    const tunnelInput = { ...input, tunnel: command ?? '', events };
    if (ctx.dryRun && tunneling !== undefined) return { value: await tunneling.planTunnel(tunnelInput, ctx) };
    const targets = openTargets(input, events, ctx);
    const recording = input.record === undefined ? undefined : openRecorder(input.record, ctx);
    const tunnel = tunneling && new tunneling.Tunnel(tunnelInput, ctx);
    const options: SessionOptions = {
      ...input,
      path,
      endpoints,
      secrets: tunnel?.secrets ?? secrets,
      targets,
      recording,
      toleranceS: parseTolerance(input.tolerance),
      events: new Set(events),
      untilEvents,
      digests: !ctx.wants.table,
      waitMs: input.wait,
      now: ctx.now,
      signal: tunnel?.signal ?? ctx.signal,
      sleep: ctx.sleep,
      notice: ctx.wants.table ? ctx.notice : undefined,
    };
    const session = new ReceiverSession(options);
    return {
      value: receive(session, options, { ...input, tunnel }, ctx),
      as: receiverList(describeHint),
      code: () => session.code ?? tunnel?.failure?.code,
      footer: () => summary(session.tally),
    };
  },
});

function checkPath(text: string): void {
  if (/^\/[^?#\s]*$/.test(text)) return;
  throw new SvcError('invalid_value', `"${text}" is not a path`, { hint: 'write it like /hook' });
}

/** The subscription of a tunnel has its own secret. */
function checkTunnelOptions(input: ListenInput, { dryRun }: RunContext): void {
  const { tunnel, tunnelUrl, endpoint, secretFile, secretEnv, insecureNoVerify } = input;
  if (tunnel === undefined) {
    if (tunnelUrl !== undefined) throw new SvcError('usage', '--tunnel-url needs --tunnel, which runs the tunnel');
    if (dryRun) throw new SvcError('usage', '--dry-run needs --tunnel: without it, nothing is sent to the service');
  } else if (insecureNoVerify || [endpoint, secretFile, secretEnv].some((list) => list.length > 0)) {
    throw new SvcError('usage', '--tunnel verifies with the secret of its own subscription: leave out secret options');
  }
}

interface Endpoints {
  /** That of --path, unless all secrets have paths of their own. */
  readonly path: string;
  /** Undefined: a tunnel has its own, or nothing is verified. */
  readonly secrets: readonly SigningSecret[] | undefined;
  /** Those of `--endpoint path=id`. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

/** The paths that take deliveries, each with the secrets of its endpoint. */
async function endpointsOf(input: ListenInput, ctx: RunContext): Promise<Endpoints> {
  const { path, endpoint, secretFile, secretEnv, tunnel, insecureNoVerify } = input;
  const endpoints = new Map<string, Endpoint>();
  const ids: string[] = [];
  for (const one of endpoint) {
    const [, ownPath, id] = /^(\/[^=]*)=(.+)$/.exec(one) ?? [];
    if (ownPath === undefined || id === undefined) {
      ids.push(one);
      continue;
    }
    checkPath(ownPath);
    if (endpoints.has(ownPath)) throw new SvcError('usage', `--endpoint: ${ownPath} has two endpoints`);
    const secrets = await requireSecrets({ endpoint: [id], secretFile: [], secretEnv: [] }, ctx);
    endpoints.set(ownPath, { id, secrets });
  }
  const isVerified = tunnel === undefined && !insecureNoVerify;
  const [first] = endpoints;
  const hasOthers = [ids, secretFile, secretEnv].some((list) => list.length > 0);
  if (isVerified && first !== undefined && !hasOthers) {
    const [ownPath, { secrets }] = first;
    return { path: ownPath, secrets, endpoints };
  }
  if (endpoints.has(path)) throw new SvcError('usage', `--endpoint: ${path} is the path of --path, too`);
  const secrets = isVerified ? await requireSecrets({ ...input, endpoint: ids }, ctx) : undefined;
  return { path, secrets, endpoints };
}

interface Place {
  readonly record: string | undefined;
  readonly readyFile: string | undefined;
  readonly tunnel: Tunnel | undefined;
}

/** From the `ready` row to the last. */
async function* receive(
  session: ReceiverSession,
  { secrets, endpoints, host, path, targets, events }: SessionOptions,
  { record, readyFile, tunnel }: Place,
  ctx: RunContext,
): AsyncGenerator<ReceiverRow> {
  let readiness: ReadyFile | undefined;
  try {
    if (readyFile !== undefined) readiness = new ReadyFile(readyFile);
    const port = await session.start();
    const url = receiverUrl(host, port, path);
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

function receiverUrl(host: string, port: number, path: string): URL {
  const name = host.includes(':') ? `[${host}]` : host;
  return new URL(`http://${name}:${port}${path}`);
}

function openRecorder(path: string, ctx: RunContext): RecordingWriter {
  const { writer, notices } = openRecording(path);
  for (const text of notices) ctx.notice(`warning: ${text}`);
  return writer;
}
