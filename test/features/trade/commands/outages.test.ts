/** What streams say of a gateway that cannot be reached: at once, on stdout for programs and on stderr for people. */
import { beforeAll, describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { freePorts } from '../../../support/ports.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { TOKEN, until } from '../gateway.ts';
import { type FeedGateway, feedGateway, lines, ORDER } from './feed.ts';

/** An address where nothing listens, until a test starts a gateway there. */
let url: string;
let port: number;

beforeAll(async () => {
  port = await freePorts();
  url = `http://127.0.0.1:${port}`;
});

interface Running {
  readonly run: Promise<Run>;
  /** The lines of JSON so far. */
  lines(): Record<string, unknown>[];
  /** Once such a line was printed. */
  printed(fits: (line: Record<string, unknown>) => boolean): Promise<void>;
  stderr(): string;
  stop(): void;
}

function start(argv: readonly string[], options: RunOptions = {}): Running {
  let [out, err] = ['', ''];
  const stop = new AbortController();
  const run = svc(['trade', ...argv], {
    home: temporaryHome(),
    env: { SVC_TRADE_URL: url, SVC_TRADE_TOKEN: TOKEN },
    signal: stop.signal,
    onStdout: async (text) => {
      out += text;
    },
    onStderr: (text) => {
      err += text;
    },
    ...options,
  });
  const seen = () => lines(out.slice(0, out.lastIndexOf('\n') + 1));
  return {
    run,
    lines: seen,
    printed: (fits) => until(() => seen().some(fits)),
    stderr: () => err,
    stop: () => stop.abort(new SvcError('interrupted', 'interrupted')),
  };
}

const isEvent = (name: string) => (line: Record<string, unknown>) => line['event'] === name;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const STREAMS = {
  stream: ['stream', 'Order', '-o', 'ndjson'],
  watch: ['watch', 'orders', '-o', 'ndjson', '--interval', '1h'],
} as const;

async function withOrder(options: Parameters<typeof feedGateway>[0] = {}): Promise<FeedGateway> {
  const feed = await feedGateway({ port, ...options });
  feed.tables['Order'] = [ORDER];
  return feed;
}

describe.each(Object.keys(STREAMS) as (keyof typeof STREAMS)[])('trade %s', (name) => {
  it('prints that the gateway is unreachable, and that it is reached again', async () => {
    const first = await withOrder();
    const running = start(STREAMS[name]);
    await first.subscribed('Order');
    await first.gateway.stop();
    await running.printed(isEvent('unreachable'));
    expect(running.lines().find(isEvent('unreachable'))).toMatchObject({ at: TIME, reason: expect.any(String) });
    expect(running.lines().some(isEvent('recovered'))).toBe(false);
    await using second = await withOrder();
    await running.printed(isEvent('recovered'));
    expect(running.lines().find(isEvent('recovered'))).toMatchObject({ at: TIME });
    await second.subscribed('Order');
    running.stop();
    expect((await running.run).code).toBe(130);
  });

  it('waits for a gateway that is down at the start', async () => {
    const running = start([...STREAMS[name], '--until', '1']);
    await running.printed(isEvent('unreachable'));
    expect(running.lines()).toHaveLength(1);
    await using feed = await withOrder();
    await feed.subscribed('Order');
    feed.push('Order', { ...ORDER, status: 9 });
    const { code } = await running.run;
    expect(code).toBe(0);
    expect(
      running
        .lines()
        .slice(0, 2)
        .map(({ event }) => event),
    ).toEqual(['unreachable', 'recovered']);
    expect(running.lines().length).toBeGreaterThan(2);
  });

  it('reports a token that is refused later, and exits 7', async () => {
    let isRevoked = false;
    await using feed = await withOrder({ accepts: (token) => token === TOKEN && !isRevoked });
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const running = start([...STREAMS[name], '--until', '1h'], {
      sleepsUntil: (ms) => (ms > 1_800_000 ? ended : undefined),
    });
    await feed.subscribed('Order');
    isRevoked = true;
    feed.drop();
    await running.printed(({ event, reason }) => event === 'unreachable' && /refused the token/.test(String(reason)));
    expect(running.lines().filter(isEvent('unreachable'))).toHaveLength(2);
    end();
    const { code, stderr } = await running.run;
    expect({ code, recovered: running.lines().filter(isEvent('recovered')) }).toEqual({ code: 7, recovered: [] });
    expect(stderr).toContain('the gateway was unreachable at the end');
    expect(stderr + JSON.stringify(running.lines())).not.toContain(TOKEN);
  });

  it('exits 7 after --until if the gateway never responds', async () => {
    const { code, stdout, stderr } = await start([...STREAMS[name], '--until', '30ms'], { sleeps: 30 }).run;
    expect(code).toBe(7);
    expect(lines(stdout).map(({ event }) => event)).toEqual(['unreachable']);
    expect(stderr).toContain('the gateway was unreachable at the end');
  });

  it('fails with --no-reconnect', async () => {
    const { code, stdout } = await start([...STREAMS[name], '--no-reconnect']).run;
    expect(code).toBe(7);
    expect(lines(stdout)).toEqual([expect.objectContaining({ event: 'unreachable', at: TIME })]);
  });

  it('fails if the token is refused at the start', async () => {
    await using _ = await withOrder({ accepts: () => false });
    const { code, stdout } = await start(STREAMS[name]).run;
    expect(code).toBe(4);
    expect(lines(stdout)).toEqual([
      expect.objectContaining({ event: 'unreachable', reason: expect.stringContaining('refused the token') }),
    ]);
  });
});

describe('a gateway that responds', () => {
  it.each([
    ['stream', 'EUR/USD'],
    ['watch', 'orders'],
    ['quote', 'EUR/USD'],
  ])('with an error of the service is unreachable to svc trade %s %s', async (...argv) => {
    await using feed = await feedGateway();
    feed.onModel = (_model, response) => {
      response.writeHead(503).end();
      return true;
    };
    const { code, stdout } = await feed.run([...argv, '-o', 'ndjson'], { sleeps: 20 });
    expect({ code, events: lines(stdout).map(({ event }) => event) }).toEqual({ code: 7, events: ['unreachable'] });
  });

  it('is reported as lost while a read still waits', async () => {
    await using feed = await feedGateway();
    feed.tables['Order'] = [ORDER];
    let hangs = true;
    feed.onModel = (model) => {
      if (model !== 'Order' || !hangs) return false;
      hangs = false;
      setImmediate(() => feed.drop());
      return true;
    };
    const running = start(['watch', 'orders', '--timeout', '1h', '-o', 'ndjson'], { env: feed.env, sleeps: true });
    await running.printed(({ event }) => event === 'unreachable');
    await running.printed(({ event }) => event === 'recovered');
    running.stop();
    await running.run;
  });
});

it('svc trade stream says at once in a table that it reconnects', async () => {
  const first = await withOrder();
  const running = start(['stream', 'Order']);
  await first.subscribed('Order');
  await first.gateway.stop();
  await until(() => running.stderr().includes('reconnecting'));
  await using _ = await withOrder();
  await until(() => running.stderr().includes('reconnected'));
  running.stop();
  await running.run;
});
