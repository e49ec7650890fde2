/** `--watch[=interval]`: looks at a list again and again, for `output/watch.ts` to show. */
import { SvcError } from '../errors.ts';
import type { Change, Glance } from '../output/types.ts';
import type { RunContext } from './command.ts';
import { parseDuration } from './duration.ts';
import { poll } from './poll.ts';

export interface WatchInterval {
  readonly text: string;
  readonly ms: number;
}

const USUAL = '5s';
const SHORTEST_MS = 1000;

export function watchInterval(flag: string | true): WatchInterval {
  const text = flag === true ? USUAL : flag;
  const ms = parseDuration(text);
  if (ms < SHORTEST_MS) throw new SvcError('invalid_value', `--watch: ${text} is too often`, { hint: 'at least 1s' });
  return { text, ms };
}

/** Each read, and what `look` makes of it. Where nothing could be read the rows stay as they were. */
export async function* watchRows<T, Row>(
  read: () => Promise<T>,
  look: (value: T, at: number) => { readonly rows: readonly Row[]; readonly changes: readonly Change<Row>[] },
  interval: WatchInterval,
  ctx: Pick<RunContext, 'now' | 'sleep' | 'signal' | 'notice'>,
): AsyncGenerator<Glance<Row>, void, void> {
  let rows: readonly Row[] = [];
  for await (const reading of poll(read, { intervalMs: interval.ms }, ctx)) {
    const { at, trouble } = reading;
    if (trouble !== undefined) yield { at, rows, changes: [], trouble: trouble.message };
    else {
      const seen = look(reading.value, at);
      rows = seen.rows;
      yield { at, ...seen };
    }
  }
}
