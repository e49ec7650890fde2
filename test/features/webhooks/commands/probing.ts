/** Probes a receiver without the command line: there the random numbers of a test repeat, and each event needs an id of its own. */

import { checkReceiver, type ProbeResult } from '../../../../src/features/webhooks/probes/receiver-check.ts';
import { outbound } from '../../../support/targets.ts';
import { isOpen } from '../../oauth/raw.ts';
import { KEY } from './handmade-receiver.ts';

export async function probe(url: string, only: readonly string[] = []): Promise<readonly ProbeResult[]> {
  const kit = { key: KEY, userAgent: 'svc/test', now: Date.now, random: Math.random };
  const results: ProbeResult[] = [];
  for await (const one of checkReceiver({ url: new URL(url), only, kit }, outbound())) results.push(one);
  return results;
}

/** Waits until a program listens there. */
export async function answering(port: number): Promise<number> {
  while (!(await isOpen(port))) await new Promise((done) => setImmediate(done));
  return port;
}
