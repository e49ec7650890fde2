/** From a user's files to their deliveries: for every command that reads deliveries. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import type { Delivery } from '../delivery.ts';
import type { Input, StreamedBody } from './input.ts';

export { DELIVERY_FORMATS, type DeliveryFormat } from './input.ts';

/** The files of a command line, with those in its folders. Standard input if there are none. */
export function inputFiles(paths: readonly string[]): readonly string[] {
  if (paths.indexOf('-') !== paths.lastIndexOf('-'))
    throw new SvcError('usage', '- (standard input) can be given only once');
  if (paths.length === 0) return ['-'];
  const files: string[] = [];
  for (const path of paths) {
    if (path !== '-' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) files.push(...filesIn(path));
    else files.push(path);
  }
  return files;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** One file's deliveries: a body of any size, left unread, or batches whose items are all there. */
export async function* readDeliveries(
  path: string,
  input: Input,
): AsyncGenerator<StreamedBody | Iterable<Delivery>, void, void> {
  const source = path === '-' ? 'stdin' : path;
  const pieces = input.chunks(path);
  // With a separate signature nothing is guessed: a sender could disguise a body as a container.
  if (input.format === 'body' || (input.format === 'auto' && input.signed)) {
    yield { source, pieces };
    return;
  }
  // Loading the readers costs several milliseconds, and a body with separate headers needs none.
  const { readContainer } = await import('./containers.ts');
  yield* readContainer(source, pieces, input);
}
