/** From the files that a user names to their deliveries: for every command that reads deliveries. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import type { Delivery } from '../delivery.ts';
import type { Input, StreamedBody } from './input.ts';

export { DELIVERY_FORMATS, type DeliveryFormat } from './input.ts';

/** The deliveries of one file: a streamed body, or batches whose items are all there. */
export async function* readDeliveries(
  path: string,
  input: Input,
): AsyncGenerator<StreamedBody | Iterable<Delivery>, void, void> {
  const source = path === '-' ? 'stdin' : path;
  const pieces = input.chunks(path);
  // With a separate signature nothing may be guessed: the sender could disguise a body as a container.
  if (input.format === 'body' || (input.format === 'auto' && input.signed)) {
    yield { source, pieces };
    return;
  }
  // One body with its headers is the most common input, and needs none of the readers.
  const { readContainer } = await import('./containers.ts');
  yield* readContainer(source, pieces, input);
}

export function inputFiles(paths: readonly string[]): readonly string[] {
  const named = paths.length === 0 ? ['-'] : paths;
  if (named.filter((path) => path === '-').length > 1)
    throw new SvcError('usage', '- (standard input) can be given only once');
  return named.flatMap((path) => {
    if (path === '-' || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  });
}
