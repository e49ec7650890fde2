/** A server that says at each look at its alerts what a test wrote down. */
import { SvcError } from '../../../../src/errors.ts';
import { answer, type FaultServer, faultServer } from '../../../http/servers.ts';
import type { WireAlert } from './fleet.ts';

/** `away`: the service fails, however often it is asked, until the client has given up once. `refused`: the credential is. */
export type Look = readonly WireAlert[] | 'away' | 'refused';

/** How often the client asks before it gives up. */
const TRIES = 4;

export interface Scripted extends AsyncDisposable {
  readonly server: FaultServer;
  /** Aborted, as by Ctrl-C, when it is asked once more than there are looks. */
  readonly signal: AbortSignal;
}

export async function scripted(looks: readonly Look[]): Promise<Scripted> {
  const stop = new AbortController();
  const answers = looks.flatMap((look) => {
    if (look === 'away') return Array<string>(TRIES).fill(answer(503, '"later"'));
    return look === 'refused' ? answer(401, '"no"') : answer(200, JSON.stringify(look));
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
