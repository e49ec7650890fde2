import type { SvcError } from '../../src/errors.ts';
import { Client } from '../../src/http/client.ts';
import type { TestTarget } from '../support/targets.ts';
import { createThing, probe } from './endpoints.ts';

/** What became of a read and of a write, one after the other. */
export async function outcomes(target: TestTarget): Promise<(SvcError | 'done')[]> {
  const client = new Client(target, { basePath: '' });
  const found: (SvcError | 'done')[] = [];
  for (const work of [() => client.call(probe), () => client.send(createThing, { body: {} })]) {
    found.push(
      await work().then(
        () => 'done' as const,
        (error: SvcError) => error,
      ),
    );
  }
  await client.close();
  return found;
}
