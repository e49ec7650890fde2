import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, faultServer } from '../http/servers.ts';
import { HOME } from './binary.ts';
import { named, noTmux, Terminal } from './terminal.ts';

const ROWS = 4;
const FILE = join(HOME, 'silences.json');
writeFileSync(
  FILE,
  JSON.stringify(
    Array.from({ length: ROWS }, (_, index) => ({
      matchers: [{ name: 'instance', value: `node-${index}`, isRegex: false }],
      startsAt: '2026-01-01T00:00:00Z',
      endsAt: '2096-01-01T00:00:00Z',
      createdBy: 'operator',
      comment: 'move',
    })),
  ),
);

/** Longer than a bar waits before it shows. */
const LONG_MS = 400;

describe.skipIf(noTmux)(named('the bar of many requests on a terminal', noTmux), () => {
  it('is drawn while they are under way, and gone at the end', async () => {
    const shown: Socket[] = [];
    let posts = 0;
    const done = (socket: Socket): void => {
      socket.write(answer(200, `{"silenceID":"00000000-0000-4000-8000-${String(++posts).padStart(12, '0')}"}`));
    };
    await using server = await faultServer((socket, { method }) => {
      if (method === 'GET') socket.write(answer(200, '[]'));
      else if (shown.push(socket) === ROWS) setTimeout(() => done(shown.shift() as Socket), LONG_MS);
    });
    const terminal = new Terminal(100, 20, { SVC_ALERTS_URL: server.url });
    try {
      terminal.begin(`svc silences import "${FILE}" --yes`);
      await terminal.shows((lines) => lines.includes(`[${'#'.repeat(6)}${'.'.repeat(18)}] 1/4`));
      for (const socket of shown) done(socket);
      const { lines, status } = await terminal.finish();
      expect(status).toBe(0);
      expect(lines.filter((line) => /[#/]/.test(line))).toEqual([]);
      expect(lines.filter((line) => /created +instance="node-\d"$/.test(line))).toHaveLength(ROWS);
      expect(lines.at(-1)).toContain('4 created');
    } finally {
      terminal.close();
    }
  });
});
