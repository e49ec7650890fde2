/** A program of its own, for the test that it ends: what is piped into it is given up while it is being opened. */
import { stdinUntil } from '../../src/process/streams.ts';

async function run(): Promise<void> {
  const over = new AbortController();
  const next = stdinUntil(over.signal).next();
  over.abort();
  process.stdout.write(JSON.stringify(await next));
}

void run();
