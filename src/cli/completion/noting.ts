/** Notes what of a command's value <Tab> offers next, as the value is printed. */
import { RawJson } from '../../output/types.ts';
import { type Candidate, keepCandidates, MOST_CANDIDATES } from '../../store/completion-cache.ts';
import type { Command } from '../command.ts';
import type { Run } from '../run-context.ts';

interface Noting {
  /** To be printed in place of the answer's. */
  readonly value: unknown;
  /** Once it is printed. */
  keep(run: Pick<Run, 'service' | 'settings' | 'context'>): void;
}

export function noting(value: unknown, { output, offers }: Command): Noting {
  const noted = new Map<string, Candidate[]>();
  const note = (item: unknown): void => {
    for (const [source, candidates] of Object.entries(offers?.(item) ?? {})) {
      const known = noted.get(source);
      if (known === undefined) noted.set(source, [...candidates]);
      else known.push(...candidates);
    }
  };
  const keep: Noting['keep'] = ({ service, settings, context: { paths, now, pid } }) => {
    const address = service === undefined ? undefined : settings.get(`${service}.url`);
    if (service === undefined || address === undefined || noted.size === 0) return;
    keepCandidates(paths, { service, profile: settings.profile.name, address }, noted, { now: now(), pid });
  };
  if (value === undefined || value instanceof RawJson) return { value, keep };
  if (output.kind !== 'list') note(value);
  // An array stays one: how much of it `--limit` leaves out is known then.
  else if (Array.isArray(value)) value.slice(0, MOST_CANDIDATES).forEach(note);
  else return { value: noteRows(value as AsyncIterable<unknown>, note), keep };
  return { value, keep };
}

async function* noteRows(rows: AsyncIterable<unknown>, note: (row: unknown) => void): AsyncGenerator<unknown> {
  let count = 0;
  for await (const row of rows) {
    if (count++ < MOST_CANDIDATES) note(row);
    yield row;
  }
}
