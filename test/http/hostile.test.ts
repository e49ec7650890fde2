/** Every kind of request against peers that send without end or without sense: svc stays small, and ends by its deadline. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOME } from '../e2e/binary.ts';
import { SECRET } from '../features/webhooks/vectors.ts';
import { GatewaySide, isConnecting, isWithinSession } from '../registry/gateway.ts';
import { keep, login } from '../support/rotating-server.ts';
import { answer, type Fault, faultServer, type Received } from '../support/servers.ts';
import {
  chosen,
  hostilePeers,
  IS_HARD,
  type Measured,
  MOST_LATE_MS,
  MOST_MORE,
  measure,
  TIMEOUT_MS,
} from './hostile-peers.ts';

interface Kind {
  /** `URL` stands for the address. */
  readonly argv: readonly string[];
  readonly service: 'ALERTS' | 'WEBHOOKS' | 'CATALOG' | 'TRADE';
  /** The requests that the peer answers; the others are answered as they should be. All, where it is missing. */
  readonly at?: (request: Received) => boolean;
  /** It takes no --timeout, and waits as long as the service. */
  readonly fixed?: true;
  /** It has a deadline of its own, whatever the options say. */
  readonly deadlineMs?: number;
  readonly loggedIn?: true;
}

const SILENCES = join(HOME, 'silences.json');
const silence = { matchers: [{ name: 'a', value: 'b', isRegex: false }], createdBy: 'me', comment: 'c' };
writeFileSync(
  SILENCES,
  JSON.stringify([{ ...silence, startsAt: '2030-01-01T00:00:00Z', endsAt: '2030-01-02T00:00:00Z' }]),
);

const isTable = ({ path }: Received): boolean => path.startsWith('/trading/');
const isPoll = (request: Received): boolean => isWithinSession(request) && request.method === 'GET';

const KINDS: Readonly<Record<string, Kind>> = {
  'a list': { service: 'ALERTS', argv: ['alerts', 'list', '-o', 'id'] },
  'one value': { service: 'ALERTS', argv: ['alerts', 'status', '-o', 'json'] },
  'a page of a list': { service: 'CATALOG', argv: ['catalog', 'products', 'list', '-o', 'json'] },
  'a raw response': { service: 'ALERTS', argv: ['api', 'alerts', 'GET', '/alerts'] },
  'a write': { service: 'ALERTS', argv: ['silences', 'create', 'a=b', '-d', '1h', '-c', 'x', '--author', 'me'] },
  'an import': { service: 'ALERTS', argv: ['silences', 'import', SILENCES] },
  'a delivery': { service: 'WEBHOOKS', argv: ['webhooks', 'send', '--to', 'URL/hook'], deadlineMs: 5_000, fixed: true },
  discovery: { service: 'WEBHOOKS', argv: ['oauth', 'discovery'] },
  'the token endpoint': {
    service: 'WEBHOOKS',
    argv: ['oauth', 'refresh'],
    at: ({ method }) => method === 'POST',
    // A refresh that is cut off may have spent the login.
    deadlineMs: 40_000,
    loggedIn: true,
  },
  'the connection to the gateway': { service: 'TRADE', argv: ['trade', 'accounts'] },
  'a table of the gateway': { service: 'TRADE', argv: ['trade', 'accounts'], at: isTable },
  'a poll of the gateway': { service: 'TRADE', argv: ['trade', 'accounts'], at: isPoll },
};

const good = new Map<string, Promise<Measured>>();

async function run(kind: Kind, hostile: Fault): Promise<Measured & { readonly reachedAt: number | undefined }> {
  const gateway = new GatewaySide();
  let reachedAt: number | undefined;
  await using server = await faultServer((socket, request) => {
    if (kind.at?.(request) ?? true) {
      reachedAt ??= performance.now();
      hostile(socket, request, server.requests.length);
    } else if (isWithinSession(request)) gateway.serve(socket, request);
    else if (isConnecting(request)) gateway.connect(socket);
    else socket.write(answer(404, '{}'));
  });
  const config = mkdtempSync(join(HOME, 'config-'));
  const secrets = kind.loggedIn ? {} : { SVC_WEBHOOKS_TOKEN: 'pat-0123456789' };
  if (kind.loggedIn) keep(join(config, 'svc'), login(server.url, 60));
  const argv = kind.argv.map((word) => word.replace('URL', server.url));
  const measured = await measure([...argv, ...(kind.fixed ? [] : ['--timeout', `${TIMEOUT_MS}ms`])], {
    [`SVC_${kind.service}_URL`]: server.url,
    SVC_TRADE_TOKEN: 'token-0123456789',
    SVC_WEBHOOK_SECRET: SECRET,
    XDG_CONFIG_HOME: config,
    ...secrets,
  });
  return { ...measured, reachedAt };
}

/** The text of an error is read in another way, and never all of it. */
const OF_AN_ERROR = ['one-byte chunks', 'a string', 'a slow drip'];
/** These go on to the deadline, and 40 s are too long for each. */
const LASTING = ['one-byte chunks', '1xx responses', 'a slow head', ...(IS_HARD ? [] : ['a slow drip'])];
const CASES = Object.entries(KINDS).flatMap(([name, kind]) =>
  (kind.deadlineMs === undefined ? [200, 400, 503] : [200]).flatMap((status) =>
    Object.entries(hostilePeers(status))
      .filter(([peer]) => status === 200 || OF_AN_ERROR.includes(peer))
      .filter(([peer]) => kind.deadlineMs === undefined || !LASTING.includes(peer))
      .map(([peer, hostile]) => ({ name, kind, status, peer, hostile })),
  ),
);

describe.skipIf(process.platform !== 'linux')('a hostile peer', () => {
  it.each(chosen(CASES))('$name: $status and $peer', { timeout: 60_000 }, async ({ name, kind, hostile }) => {
    let level = good.get(name);
    if (level === undefined) {
      level = run(kind, (socket) => socket.end(answer(400, '{}')));
      good.set(name, level);
    }
    const { peak: start } = await level;
    const { code, stderr, peak, overdue, reachedAt = Number.NaN } = await run(kind, hostile);
    expect(reachedAt, stderr).not.toBeNaN();
    expect(code, stderr).not.toBe(70);
    expect(stderr).not.toMatch(/\n +at /);
    expect(start).toBeGreaterThan(0);
    expect(peak - start, 'KiB more than against a good peer').toBeLessThan(MOST_MORE);
    // The long suite runs alone, and may compare times.
    if (IS_HARD) expect(overdue(reachedAt + (kind.deadlineMs ?? TIMEOUT_MS))).toBeLessThan(MOST_LATE_MS);
  });
});
