/** A separate program for the test that it ends: one request gets a response, one never connects. */
import { Client } from '../../src/http/client.ts';
import { targetFor } from '../support/targets.ts';
import { probe } from './endpoints.ts';

async function run(): Promise<void> {
  const one = new Client(targetFor(process.argv[2] ?? ''), { basePath: '' });
  await one.call(probe);
  await one.close();
  const other = new Client(targetFor(process.argv[3] ?? '', { timeoutMs: 50 }), { basePath: '' });
  await other.call(probe).catch((error: Error) => process.stdout.write(error.message));
  await other.close();
}

void run();
