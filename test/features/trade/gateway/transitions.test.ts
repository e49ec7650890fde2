/** Each pair of states: the changes of the table at a real socket.io server, and the refusal of all others. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import {
  checkChange,
  FOLLOWING,
  type Session,
  type SessionOptions,
  type StateName,
} from '../../../../src/features/trade/gateway/session.ts';
import { type Gateway, gateway, sessionWith, until } from '../gateway.ts';

const STATES = Object.keys(FOLLOWING) as StateName[];
const PAUSE_OVER = 'the pause is over';
const NOWHERE = 'http://127.0.0.1:1';

let server: Gateway;
beforeAll(async () => {
  server = await gateway();
});
afterAll(() => server.stop());

/** A session whose waits between attempts end when the test says so. */
class Stage {
  readonly session: Session;
  readonly #opened: ReturnType<typeof sessionWith>;
  readonly #pause = new AbortController();

  constructor(options: Partial<SessionOptions> = {}, url = server.url) {
    const sleep = async (_ms: number, signal?: AbortSignal): Promise<void> => {
      const ends = AbortSignal.any([this.#pause.signal, signal as AbortSignal]);
      if (!ends.aborted) await once(ends, 'abort');
      if (ends.reason !== PAUSE_OVER) throw ends.reason;
    };
    this.#opened = sessionWith(url, options, { sleep });
    this.session = this.#opened.session;
  }

  endPause(reason: unknown = PAUSE_OVER): void {
    this.#pause.abort(reason);
  }

  /** Connects, and leaves the result of that to the session. */
  begin(): void {
    this.session.connect().catch(() => {});
  }

  reach(state: StateName): Promise<void> {
    return until(() => this.session.state === state);
  }

  async dropFrom(state: StateName): Promise<void> {
    await this.session.connect();
    expect(this.session.state).toBe('open');
    for (const client of server.live) client.disconnect(true);
    await this.reach(state);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.session.close();
  }
}

async function closeFrom(state: StateName, stage: Stage): Promise<void> {
  expect(stage.session.state).toBe(state);
  const closed = stage.session.close();
  expect(stage.session.state).toBe('closing');
  await closed;
  expect(stage.session.state).toBe('closed');
  expect(server.live).toEqual([]);
}

/** By state and event. */
const WALKS: Readonly<Record<string, () => Promise<void>>> = {
  'idle opening': async () => {
    await using stage = new Stage();
    expect(stage.session.state).toBe('idle');
    stage.begin();
    expect(stage.session.state).toBe('opening');
  },
  'idle closing': async () => {
    await using stage = new Stage();
    await closeFrom('idle', stage);
  },
  'opening opening': async () => {
    await using stage = new Stage({ reconnect: true });
    const restoring: unknown[] = [];
    stage.session.onReconnect(async () => void restoring.push(stage.session.state, stage.session.isConnected));
    await stage.dropFrom('lost');
    stage.endPause();
    await stage.reach('open');
    expect(restoring).toEqual(['opening', true]);
  },
  'opening open': async () => {
    await using stage = new Stage();
    const connected = stage.session.connect();
    expect(stage.session.state).toBe('opening');
    await connected;
    expect(stage.session.state).toBe('open');
  },
  'opening lost': async () => {
    await using stage = new Stage({ awaitGateway: true }, NOWHERE);
    stage.begin();
    expect(stage.session.state).toBe('opening');
    await stage.reach('lost');
  },
  'opening failed': async () => {
    await using stage = new Stage({}, NOWHERE);
    await expect(stage.session.connect()).rejects.toMatchObject({ code: 'connect_failed' });
    expect(stage.session.state).toBe('failed');
    await expect(stage.session.connect()).rejects.toMatchObject({ code: 'connect_failed' });
  },
  'opening closing': async () => {
    await using stage = new Stage();
    stage.begin();
    await closeFrom('opening', stage);
  },
  'open lost': async () => {
    await using stage = new Stage({ reconnect: true });
    await stage.dropFrom('lost');
  },
  'open failed': async () => {
    await using stage = new Stage();
    await stage.dropFrom('failed');
  },
  'open closing': async () => {
    await using stage = new Stage();
    await stage.session.connect();
    await closeFrom('open', stage);
  },
  'lost opening': async () => {
    const attempts: StateName[] = [];
    const wait = async (): Promise<void> => void attempts.push(stage.session.state);
    await using stage = new Stage({ reconnect: true, pace: wait });
    await stage.dropFrom('lost');
    stage.endPause();
    await stage.reach('open');
    expect(attempts).toEqual(['opening', 'opening']);
  },
  'lost failed': async () => {
    await using stage = new Stage({ reconnect: true });
    await stage.dropFrom('lost');
    stage.endPause(new Error('a bug of svc'));
    await stage.reach('failed');
    await expect(stage.session.connect()).rejects.toMatchObject({ code: 'internal' });
  },
  'lost closing': async () => {
    await using stage = new Stage({ reconnect: true });
    await stage.dropFrom('lost');
    await closeFrom('lost', stage);
  },
  'failed closing': async () => {
    await using stage = new Stage();
    await stage.dropFrom('failed');
    await closeFrom('failed', stage);
  },
  'closing closed': async () => {
    await using stage = new Stage();
    await stage.session.connect();
    await Promise.all([stage.session.close(), stage.session.close()]);
    expect(stage.session.state).toBe('closed');
    await expect(stage.session.connect()).rejects.toMatchObject({ code: 'connection_lost' });
  },
};

const pairs = STATES.flatMap((from) => STATES.map((to) => [from, to] as const));
const isAllowed = ([from, to]: (typeof pairs)[number]): boolean => (FOLLOWING[from] as readonly string[]).includes(to);

describe('the table of changes', () => {
  test('has a walk for each change, and no other', () => {
    expect(Object.keys(WALKS).sort()).toEqual(
      pairs
        .filter(isAllowed)
        .map((pair) => pair.join(' '))
        .sort(),
    );
  });

  test.each(pairs.filter((pair) => !isAllowed(pair)))('a session that is %s cannot be %s', (from, to) => {
    expect(() => checkChange(from, to)).toThrow(SvcError);
  });

  test.each(Object.keys(WALKS))('%s', async (pair) => {
    await WALKS[pair]?.();
  });
});
