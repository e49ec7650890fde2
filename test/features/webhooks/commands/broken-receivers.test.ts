/** Receivers as people write them, each wrong in one way: svc webhooks check-receiver fails them all, and passes those that are right. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBE_NAMES } from '../../../../src/features/webhooks/probes/probes.ts';
import { probe } from './probing.ts';
import { EXPRESS_RECEIVERS, serveExpress } from './receivers/express.ts';
import { NODE_RECEIVERS, serveNode } from './receivers/node.ts';

const express = serveExpress();
const server = createServer((request, response) =>
  request.url?.startsWith('/express/') ? express(request, response) : void serveNode(request, response),
);
let base: string;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function failures(url: string, only: readonly string[] = []): Promise<readonly string[]> {
  const failed = (await probe(url, only)).filter(({ status }) => status === 'fail');
  for (const { sent, got, fix } of failed) for (const text of [sent, got, fix]) expect(text).toMatch(/\w/);
  return failed.map(({ probe: name }) => name);
}

/** Of the probes that a receiver must fail, those that it passes. */
async function missed(path: string, probes: readonly string[]): Promise<readonly string[]> {
  // Megabytes to each receiver would take most of the time: they go to those that fail by them.
  const only = PROBE_NAMES.filter((name) => name !== 'large-body' || probes.includes(name));
  const failed = await failures(`${base}/${path}`, only);
  return probes.filter((name) => !failed.includes(name));
}

describe('svc webhooks check-receiver', () => {
  it.each([
    ['node', NODE_RECEIVERS],
    ['express', EXPRESS_RECEIVERS],
  ] as const)('finds what is wrong with each receiver on %s', async (kind, receivers) => {
    const found = Object.entries(receivers).map(async ([name, [, probes]]) => [
      name,
      await missed(`${kind}/${name}`, probes),
    ]);
    expect(Object.fromEntries(await Promise.all(found))).toEqual(
      Object.fromEntries(Object.keys(receivers).map((name) => [name, []])),
    );
  });

  it('passes a right receiver on Node.js and on Express', async () => {
    expect(await failures(`${base}/node/correct`)).toEqual([]);
    expect(await failures(`${base}/express/correct`)).toEqual([]);
  });
});
