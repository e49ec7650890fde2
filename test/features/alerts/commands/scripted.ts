/** A server that answers each request for its alerts as a test scripted. */
import { SvcError } from '../../../../src/errors.ts';
import { answer, type FaultServer, faultServer } from '../../../support/servers.ts';
import type { WireAlert } from './fleet.ts';

/** `away`: every request fails until the client has given up once. `refused`: the credential is refused. */
export type Reply = readonly WireAlert[] | 'away' | 'refused';

/** How often the client asks before it gives up. */
const TRIES = 4;

export interface Scripted extends AsyncDisposable {
  readonly server: FaultServer;
  /** Aborts, as Ctrl-C does, at the first request after the last reply. */
  readonly signal: AbortSignal;
}

export async function scripted(replies: readonly Reply[]): Promise<Scripted> {
  const stop = new AbortController();
  const answers = replies.flatMap((reply) => {
    if (reply === 'away') return Array<string>(TRIES).fill(answer(503, '"later"'));
    return reply === 'refused' ? answer(401, '"no"') : answer(200, JSON.stringify(reply));
  });
  const server = await faultServer((socket, _request, index) => {
    const text = answers[index - 1];
    if (text === undefined) stop.abort(new SvcError('interrupted', 'interrupted'));
    else socket.write(text);
  });
  return { server, signal: stop.signal, [Symbol.asyncDispose]: () => server.close() };
}

const DIGITS = 16;

/** An alert whose fingerprint begins with `id`. */
export function wireAlert(
  id: string,
  labels: Readonly<Record<string, string>> = {},
  changes: Partial<WireAlert> = {},
): WireAlert {
  return {
    labels: { alertname: `Alert${id}`, ...labels },
    annotations: { summary: `about ${id}` },
    receivers: [{ name: 'operations' }],
    fingerprint: id.padEnd(DIGITS, '0'),
    startsAt: '2026-11-20T12:00:00.000Z',
    updatedAt: '2026-11-20T12:00:00.000Z',
    endsAt: '2026-11-20T12:05:00.000Z',
    status: { state: 'active', silencedBy: [], inhibitedBy: [] },
    ...changes,
  };
}

export const SILENCED = { status: { state: 'suppressed', silencedBy: ['2f1a'], inhibitedBy: [] } };
