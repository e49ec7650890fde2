/** Notes what a command shows at a terminal, so that <Tab> can offer it to the next one. */
import type { Context } from '../../context.ts';
import type { Rows } from '../../output/types.ts';
import { type Candidate, keepCandidates, MOST_CANDIDATES } from '../../store/completion-cache.ts';
import type { Settings } from '../../store/settings.ts';
import type { Command } from '../command.ts';
import type { Candidates } from '../flags.ts';

export interface Memory {
  /** The command's value, to be printed in place of what was given: it is noted as it passes. */
  readonly value: unknown;
  /** Keeps what was noted; best effort, and never an error. */
  keep(): void;
}

type Offers = (item: unknown) => Candidates;

export function memorize(
  value: unknown,
  { output, offers, service }: Command & { readonly offers: Offers },
  settings: Settings,
  { paths, now, pid }: Pick<Context, 'paths' | 'now' | 'pid'>,
): Memory {
  const found = new Map<string, Candidate[]>();
  const see = (item: unknown): void => {
    for (const [source, candidates] of Object.entries(offers(item))) {
      const known = found.get(source);
      if (known === undefined) found.set(source, [...candidates]);
      else known.push(...candidates);
    }
  };
  return {
    value: output.kind === 'list' ? watched(value as Rows<unknown>, see) : seen(value, see),
    keep() {
      const address = service === undefined ? undefined : settings.get(`${service}.url`);
      if (service === undefined || address === undefined) return;
      keepCandidates(paths, { service, profile: settings.profile.name, address }, found, { now: now(), pid });
    },
  };
}

function seen<T>(item: T, see: (item: T) => void): T {
  see(item);
  return item;
}

/** An array stays one: how much of it `--limit` leaves out is known then. */
function watched(rows: Rows<unknown>, see: (row: unknown) => void): Rows<unknown> {
  if (!Array.isArray(rows)) return passing(rows, see);
  for (const row of rows.slice(0, MOST_CANDIDATES)) see(row);
  return rows;
}

async function* passing(rows: Rows<unknown>, see: (row: unknown) => void): AsyncGenerator<unknown> {
  let count = 0;
  for await (const row of rows) {
    if (count++ < MOST_CANDIDATES) see(row);
    yield row;
  }
}
