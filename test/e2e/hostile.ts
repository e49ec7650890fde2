/** A service that tries to take the terminal over by everything it says. */
import type { Socket } from 'node:net';
import { answer, type FaultServer, faultServer, type Received } from '../support/servers.ts';

/** Clear, title, color, device control, alternate screen, cursor, bidi, zero width, line breaks, 8-bit controls. */
export const HOSTILE = [
  'A\x1b[2J\x1b[H',
  '\x1b]0;owned\x07',
  '\x1b]8;;http://evil.example\x1b\\link',
  '\x1b[31;7m\x1b[?1049h',
  '\x1bP+q544e\x1b\\',
  '\r\b\b\x07\x00\x7f\v\f',
  '\nforged  line\tB',
  '\u009b2J\u0090q\u009c\u0085',
  '\u202egnp.exe\u2066\u200b\u200d\ufeff\u2028\u00ad',
  '\ud800\u{e0041}Z',
].join('');

/** The same as a command-line argument, which cannot have NUL or half a surrogate pair. */
export const ARGUMENT = HOSTILE.replaceAll('\0', '').replaceAll('\ud800', '');

/** A matcher with this value: a text with unmatched quotes and brackets is refused otherwise. */
export const MATCHER = `host="${ARGUMENT.replaceAll(/[\\"]/g, '\\$&')}"`;

// Years away: ages are shown in days, and two outputs are compared.
const times = { startsAt: '2016-01-01T00:00:00Z', endsAt: '2036-01-01T00:00:00Z', updatedAt: '2016-01-01T00:00:00Z' };
export const FINGERPRINT = '00000000000000aa';
export const SILENCE = 'aaaaaaaa-0000-4000-8000-000000000000';

const alert = {
  labels: { alertname: HOSTILE, severity: HOSTILE, host: HOSTILE, [HOSTILE]: HOSTILE, [ARGUMENT]: HOSTILE },
  annotations: { summary: HOSTILE, [HOSTILE]: HOSTILE },
  generatorURL: HOSTILE,
  receivers: [{ name: HOSTILE }],
  status: { state: HOSTILE, silencedBy: [], inhibitedBy: [] },
  fingerprint: FINGERPRINT,
  [HOSTILE]: [{ [HOSTILE]: HOSTILE }],
  ...times,
};
const silence = {
  id: SILENCE,
  status: { state: 'active', [HOSTILE]: HOSTILE },
  createdBy: HOSTILE,
  comment: HOSTILE,
  matchers: [{ name: HOSTILE, value: HOSTILE, isRegex: false, isEqual: true }],
  [HOSTILE]: HOSTILE,
  ...times,
};
const wild = { startsAt: HOSTILE, endsAt: HOSTILE, updatedAt: HOSTILE };

const ANSWERS: Readonly<Record<string, unknown>> = {
  'GET /alerts': [
    alert,
    { ...alert, ...wild, fingerprint: HOSTILE, status: { ...alert.status, silencedBy: [HOSTILE] } },
  ],
  'GET /alerts/groups': [{ labels: { [HOSTILE]: HOSTILE }, receiver: { name: HOSTILE }, alerts: [alert] }],
  'GET /receivers': [{ name: HOSTILE }, { name: HOSTILE.slice(0, 30) }],
  'GET /status': {
    cluster: { status: HOSTILE, name: HOSTILE, peers: [{ name: HOSTILE, address: HOSTILE }] },
    versionInfo: { version: HOSTILE, revision: HOSTILE, branch: HOSTILE, buildUser: HOSTILE, goVersion: HOSTILE },
    config: { original: HOSTILE },
    uptime: HOSTILE,
  },
  'GET /silences': [silence, { ...silence, updatedAt: HOSTILE, id: HOSTILE, status: { state: HOSTILE } }],
  [`GET /silence/${SILENCE}`]: silence,
  'POST /silences': { silenceID: HOSTILE },
};

/** `/refuse`, `/fail`, `/page`, `/move`, `/garble` and `/scream` respond in other ways. */
export async function hostileServer(): Promise<FaultServer> {
  return await faultServer((socket: Socket, { method, path }: Received) => {
    const [, manner = '', found] = /^(?:\/([a-z]+))?\/api\/v2(\/[^?]*)/.exec(path) ?? [];
    const wire: Readonly<Record<string, string>> = {
      refuse: answer(400, JSON.stringify(HOSTILE)),
      fail: answer(500, JSON.stringify({ error: HOSTILE, message: HOSTILE })),
      page: answer(403, `<html><title>${HOSTILE}</title>`, { 'content-type': 'text/html' }),
      move: answer(307, '', { location: `http://evil.example/\u009b2J\u202e\u200b` }),
      garble: answer(200, `[${HOSTILE}`),
      scream: `${HOSTILE}\r\n\r\n`,
    };
    const value = ANSWERS[`${method} ${found}`];
    socket.write(wire[manner] ?? (value === undefined ? answer(404, HOSTILE) : answer(200, JSON.stringify(value))));
  });
}
