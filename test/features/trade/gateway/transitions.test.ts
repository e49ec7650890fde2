/** The states of a session, at a real socket.io server. */
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
  readonly #pause = new AbortController();

  constructor(options: Partial<SessionOptions> = {}, url = server.url) {
    const sleep = async (_ms: number, signal?: AbortSignal): Promise<void> => {
      const ends = AbortSignal.any([this.#pause.signal, signal as AbortSignal]);
      if (!ends.aborted) await once(ends, 'abort');
      if (ends.reason !== PAUSE_OVER) throw ends.reason;
    };
    this.session = sessionWith(url, options, { sleep }).session;
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

  async dropTo(state: StateName): Promise<void> {
    await this.session.connect();
    expect(this.session.state).toBe('open');
    for (const client of server.live) client.disconnect(true);
    await this.reach(state);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.session.close();
  }
}

describe('a session', () => {
  test('changes its state only as the table says', () => {
    expect(FOLLOWING.closed).toEqual([]);
    expect(() => checkChange('idle', 'opening')).not.toThrow();
    expect(() => checkChange('closed', 'opening')).toThrow(SvcError);
  });

  const REACH: Readonly<Partial<Record<StateName, () => Promise<Stage>>>> = {
    idle: async () => new Stage(),
    opening: async () => {
      const stage = new Stage();
      stage.begin();
      return stage;
    },
    open: async () => {
      const stage = new Stage();
      await stage.session.connect();
      return stage;
    },
    lost: async () => {
      const stage = new Stage({ reconnect: true });
      await stage.dropTo('lost');
      return stage;
    },
    failed: async () => {
      const stage = new Stage();
      await stage.dropTo('failed');
      return stage;
    },
  };

  test.each(Object.keys(REACH) as StateName[])(
    'that is %s is closed, and leaves nothing at the gateway',
    async (state) => {
      const stage = await REACH[state]?.();
      const session = stage?.session;
      expect(session?.state).toBe(state);
      const closed = Promise.all([session?.close(), session?.close()]);
      expect(session?.state).toBe('closing');
      await closed;
      expect([session?.state, server.live]).toEqual(['closed', []]);
      await expect(session?.connect()).rejects.toMatchObject({ code: 'connection_lost' });
    },
  );

  test('is connected while it is restored, but not yet open', async () => {
    await using stage = new Stage({ reconnect: true });
    const restoring: unknown[] = [];
    stage.session.onReconnect(async () => void restoring.push(stage.session.state, stage.session.isConnected));
    await stage.dropTo('lost');
    stage.endPause();
    await stage.reach('open');
    expect(restoring).toEqual(['opening', true]);
  });

  test('waits for a gateway that cannot be reached if it may', async () => {
    await using waiting = new Stage({ awaitGateway: true }, NOWHERE);
    waiting.begin();
    await waiting.reach('lost');
    await using failing = new Stage({}, NOWHERE);
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(failing.session.connect()).rejects.toMatchObject({ code: 'connect_failed' });
      expect(failing.session.state).toBe('failed');
    }
  });

  test('asks for the pace before each attempt', async () => {
    const attempts: StateName[] = [];
    const pace = async (): Promise<void> => void attempts.push(stage.session.state);
    await using stage = new Stage({ reconnect: true, pace });
    await stage.dropTo('lost');
    stage.endPause();
    await stage.reach('open');
    expect(attempts).toEqual(['opening', 'opening']);
  });

  test('fails if a wait ends with a bug', async () => {
    await using stage = new Stage({ reconnect: true });
    await stage.dropTo('lost');
    stage.endPause(new Error('a bug of svc'));
    await stage.reach('failed');
    await expect(stage.session.connect()).rejects.toMatchObject({ code: 'internal' });
  });
});
