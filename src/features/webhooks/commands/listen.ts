import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listCommand, type RunContext } from '../../../cli/command.ts';
import { FILE, type Flags, type Options, section } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { hostLiteral } from '../../../http/address.ts';
import { shellWord } from '../../../output/escape.ts';
import { withLock } from '../../../store/lock.ts';
import { errorCode, fileFailure, readOwnFile, writeAtomic } from '../../../store/own-file.ts';
import { EVENT_FLAG, eventFilter } from '../event-types.ts';
import { parseTolerance, TOLERANCE_FLAG } from '../options.ts';
import { openForwarder } from '../receiver/forwarder.ts';
import { historyPath } from '../receiver/history.ts';
import { openRecording } from '../receiver/recording-writer.ts';
import { introduction, RECEIVER_LIST, type ReadyRow, type ReceiverRow, summary } from '../receiver/rows.ts';
import { ReceiverSession, type SessionOptions } from '../receiver/session.ts';
import { SECRET_PREFIX, type SigningSecret } from '../signature.ts';
import { requireSecrets, SECRET_FLAGS, signingSecrets } from '../signing-secrets.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';

const LISTEN_FLAGS = {
  port: { type: 'integer', min: 0, max: 65_535, default: 8787, help: 'Port; 0 for a free one' },
  host: { type: 'string', value: 'address', default: '127.0.0.1', rare: true, help: 'Address to listen on' },
  'ready-file': { ...FILE, rare: true, help: 'Write port, url and pid (JSON) here while listening' },
  'forward-to': { type: 'string', value: 'target', help: 'Forward to this port, or URL of this machine' },
  'forward-external': { type: 'boolean', rare: true, help: 'Allow a target on another machine' },
  record: { ...FILE, help: 'Add deliveries to this recording' },
  history: { type: 'boolean', default: true, rare: true, help: 'Do not keep the last deliveries for replay' },
  'show-body': { type: 'boolean', rare: true, help: 'Print the bodies of valid deliveries' },
  count: { type: 'integer', min: 1, help: 'End after this many accepted events' },
  wait: { type: 'duration', positive: true, help: 'End after this time' },
  'fail-on-invalid': { type: 'boolean', rare: true, help: 'End at the first invalid delivery' },
  tolerance: { ...TOLERANCE_FLAG, rare: true },
} as const satisfies Flags;

const TUNNEL_FLAGS = section('Tunnel options', {
  tunnel: { type: 'string', value: 'command', help: 'Run a tunnel: cloudflared, ngrok or a command' },
  'tunnel-url': { type: 'string', value: 'url', rare: true, help: 'Its public address, if it prints none' },
  event: { ...EVENT_FLAG, help: 'Subscribe only to these event types' },
});

const FLAGS = { ...LISTEN_FLAGS, ...TUNNEL_FLAGS, ...SECRET_FLAGS } as const satisfies Flags;

type ListenInput = Options<typeof FLAGS>;

export const webhooksListen = listCommand({
  id: 'webhooks listen',
  suggestFor: ['forward', 'tail'],
  summary: 'Receive, verify, record and forward deliveries',
  description:
    'Listens on this machine and verifies the exact bytes before parsing anything. The response is 204 to a valid delivery (with a target, its status) and 401 to an invalid one. At a terminal, svc makes a secret if none is given. With --tunnel, svc makes itself public and subscribes; it deletes the subscription when it ends.',
  details: `--tunnel takes cloudflared, ngrok, or a command line for the shell, in which {port} and $PORT are the local port. svc reads the https address from its output, creates a subscription for it (--event sets its event types), keeps its secret in memory, and sends the test event of the service, unless --event leaves out webhook.ping. When svc ends, it deletes the subscription and stops the program. Only a kill leaves the subscription behind: svc webhooks list shows it.
Ctrl-C ends svc; deliveries in progress then have 2 s to finish.
A target is a port of this machine, an address such as localhost:3000/hook, or a URL. Its name must resolve to this machine, and svc connects to the addresses that it had at the start; *.localhost is always this machine. svc forwards the unchanged bytes and the five documented headers in their order. A redirect is not followed and counts as a failure; no response is 502, one after 4.5 s is 504. svc shows the first lines of a response that is not a 2xx.
Every path takes deliveries. GET / answers 200, for health checks of tunnels. Requests of browsers are refused. A body may have 32 MiB.
An event that was accepted before (among the last 20,000, within a day) is answered 204 and not forwarded again.
With --record, svc adds each delivery to the file before it responds; if the file cannot be written, it responds 500, and the service sends the delivery again. svc also keeps the last valid delivery of each of the last 100 events (16 MiB at most) in deliveries.ndjson in its state directory, for svc webhooks replay evt_…. A delivery is there within a second of its response; kill -9 loses those of the last second.
Anyone can send requests without a valid signature. svc shows and records the first 20 and then one a second (16 MiB in one run at most), and counts the others.
Exit 0 when --count is reached, for which only valid, new and accepted events count; 1 at the first invalid delivery with --fail-on-invalid; 9 when --wait is over; 130 after Ctrl-C.
Each line of NDJSON has a "type": first "ready" (port, url, forward, record, history, tunnel, pid), then "delivery" (received_at, source, status, valid, signature_ok, timestamp, age_s, tolerance_s, event_id, event_type, secret_index, body_bytes, body_sha256, notes, duplicate, forward, response, ms), "refused" for a request that is not a delivery, "omitted" (requests) for those that are only counted, "warning" (message), and "end" last (deliveries, valid, duplicates, invalid, refused, accepted). "forward" has status, ms, error, and body: the first KiB of a response that is not a 2xx. Event id and type come from the signed body.`,
  effect: 'write',
  service: 'webhooks',
  // It takes back what it writes, so its failures are those of its rows.
  callOf: () => ({ service: 'webhooks', effect: 'read' }),
  streams: () => true,
  flags: FLAGS,
  exits: ['signature_invalid', 'still_pending'],
  examples: [
    {
      run: 'svc webhooks listen --tunnel cloudflared --forward-to localhost:3000/hook',
      why: 'From nothing to the first event: a tunnel, a subscription, a test event',
    },
    {
      run: 'svc webhooks listen --forward-to 3000',
      why: 'Forward to port 3000; at a terminal, svc makes a secret',
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
    const { secrets, ownSecret } = await readSecrets(input, ctx);
    const events = eventFilter(input.event);
    const { tunnel: command, forwardTo } = input;
    const tunneling = command === undefined ? undefined : await import('../tunnel/tunnel.ts');
    const tunnelInput = { ...input, tunnel: command ?? '', events };
    if (ctx.dryRun && tunneling !== undefined) return { value: await tunneling.planTunnel(tunnelInput, ctx) };
    const forwarder = forwardTo === undefined ? undefined : await openForwarder(forwardTo, input.forwardExternal, ctx);
    const recording = input.record === undefined ? undefined : openRecording(input.record, ctx.notice);
    const tunnel = tunneling && new tunneling.Tunnel(tunnelInput, ctx);
    const options: SessionOptions = {
      ...input,
      secrets: tunnel?.secrets ?? secrets,
      forwarder,
      recording,
      history: input.history ? { path: historyPath(ctx.paths), context: ctx } : undefined,
      toleranceS: parseTolerance(input.tolerance),
      digests: !ctx.wants.table,
      waitMs: input.wait,
      now: ctx.now,
      signal: tunnel?.signal ?? ctx.signal,
      sleep: ctx.sleep,
      notice: ctx.wants.table ? ctx.notice : undefined,
    };
    const session = new ReceiverSession(options);
    return {
      value: receive(session, options, { ...input, tunnel, ownSecret }, ctx),
      code: () => session.code ?? tunnel?.failure?.code,
      footer: () => summary(session.tally),
    };
  },
});

/** The subscription of a tunnel has its own secret. */
function checkTunnelOptions(input: ListenInput, { dryRun }: RunContext): void {
  const { tunnel, tunnelUrl, event, endpoint, secretFile, secretEnv } = input;
  if (tunnel === undefined) {
    if (event.length > 0) {
      throw new SvcError('usage', '--event needs --tunnel: it selects the events of its subscription', {
        hint: 'to change those of another: svc webhooks update <id> --set-event <types>',
      });
    }
    if (tunnelUrl !== undefined) throw new SvcError('usage', '--tunnel-url needs --tunnel, which runs the tunnel');
    if (dryRun) throw new SvcError('usage', '--dry-run needs --tunnel: without it, nothing is sent to the service');
  } else if ([endpoint, secretFile, secretEnv].some((list) => list.length > 0)) {
    throw new SvcError('usage', '--tunnel verifies with the secret of its own subscription: leave out secret options');
  }
}

interface ListenSecrets {
  /** Empty for a tunnel, which has its own. */
  readonly secrets: readonly SigningSecret[];
  /** The file of the secret that svc made, if none was given. */
  readonly ownSecret?: string | undefined;
}

async function readSecrets(input: ListenInput, ctx: RunContext): Promise<ListenSecrets> {
  if (input.tunnel !== undefined) return { secrets: [] };
  if (!ctx.interactive) return { secrets: await requireSecrets(input, ctx) };
  const given = await signingSecrets(input, ctx);
  if (given.length > 0) return { secrets: given };
  const ownSecret = await makeOwnSecret(ctx);
  return { secrets: await requireSecrets({ endpoint: [], secretFile: [ownSecret], secretEnv: [] }, ctx), ownSecret };
}

/** A secret's file for trying svc at a terminal. Made once: an application can go on using it. */
async function makeOwnSecret(ctx: RunContext): Promise<string> {
  const path = join(ctx.paths.state, 'listen-secret');
  try {
    await withLock(`${path}.lock`, ctx, (lock) => {
      if (existsSync(path)) return;
      writeAtomic(path, `${SECRET_PREFIX}${randomBytes(32).toString('base64')}\n`, { lock });
    });
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'file_unusable') throw error;
    throw new SvcError('file_unusable', `no signing secret, and svc cannot make one: ${error.message}`, {
      hint: 'pass --secret-file <file>',
    });
  }
  return path;
}

interface Place {
  readonly record: string | undefined;
  readonly readyFile: string | undefined;
  readonly tunnel: Tunnel | undefined;
  readonly ownSecret: string | undefined;
}

/** From the `ready` row to the last. */
async function* receive(
  session: ReceiverSession,
  options: SessionOptions,
  { record, readyFile, tunnel, ownSecret }: Place,
  ctx: RunContext,
): AsyncGenerator<ReceiverRow> {
  const { host, forwarder, history } = options;
  let ready: ReadyRow | undefined;
  try {
    if (readyFile !== undefined) removeReadyFile(readyFile);
    const port = await session.start();
    const url = new URL(`http://${hostLiteral(host)}:${port}/`);
    forwarder?.refuseLoop(url);
    const facts = await tunnel?.open(port, (error) => session.rows.end(error));
    session.startWait();
    ready = {
      type: 'ready',
      port,
      url: url.href,
      forward: forwarder?.url.href ?? null,
      record: record ?? null,
      history: history?.path ?? null,
      tunnel: facts,
      pid: ctx.pid,
    };
    if (readyFile !== undefined) writeReadyFile(readyFile, ready);
    introduce(ready, options, ownSecret, ctx);
    yield ready;
    yield* session.rows;
    yield { type: 'end', ...session.tally };
  } finally {
    await session.close();
    if (readyFile !== undefined && ready !== undefined) removeReadyFile(readyFile, ready);
    await tunnel?.close();
  }
}

/** Also how to sign with the secret that svc made, and what it is not for. */
function introduce(ready: ReadyRow, { secrets }: SessionOptions, ownSecret: string | undefined, ctx: RunContext): void {
  if (ctx.wants.table) {
    for (const line of introduction(ready, secrets.length)) ctx.notice(line);
  }
  if (ownSecret === undefined) return;
  ctx.notice(
    `no secret was given: svc verifies with its own, in ${ownSecret}. To sign with it, run in another terminal:`,
  );
  ctx.notice(`  svc webhooks send --to ${shellWord(ready.url)} --secret-file ${shellWord(ownSecret)}`);
  ctx.notice(
    'deliveries of the service need the secret of their subscription (--secret-file or --endpoint), or --tunnel',
  );
}

type Readiness = Pick<ReadyRow, 'port' | 'url' | 'pid'>;

function readinessText({ port, url, pid }: Readiness): string {
  return `${JSON.stringify({ port, url, pid })}\n`;
}

function writeReadyFile(path: string, ready: Readiness): void {
  const staged = `${path}.${ready.pid}.new`;
  try {
    writeFileSync(staged, readinessText(ready), { flag: 'wx', mode: 0o600 });
    renameSync(staged, path);
  } catch (error) {
    rmSync(staged, { force: true });
    throw fileFailure(`--ready-file: cannot write ${path}`, error);
  }
}

/** Removes this listener's file, or at first that of any. A file with other contents is refused. */
function removeReadyFile(path: string, own?: Readiness): void {
  let before: string;
  try {
    before = readOwnFile(path).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw fileFailure(`--ready-file: cannot use ${path}`, error);
  }
  if (own !== undefined && before !== readinessText(own)) return;
  if (!/^\{"port":\d+,"url":"[^"]*","pid":\d+\}\n$/.test(before)) {
    throw new SvcError('file_unusable', `--ready-file: ${path} has other contents, and was not overwritten`);
  }
  rmSync(path, { force: true });
}
