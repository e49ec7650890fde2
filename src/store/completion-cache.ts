/**
 * Names that a service returned recently, for <Tab>. The cache may be deleted at any time, and is never trusted: an unreadable file counts as missing, and
 * failures to write are ignored.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import { readOwnFile, replaceCache } from './own-file.ts';

export interface Candidate {
  readonly value: string;
  /** A description, for shells that show it beside the value. */
  readonly note?: string | undefined;
}

/** Whose names they are: another profile or address has its own. */
export interface CacheOwner {
  readonly service: string;
  readonly profile: string;
  readonly address: string;
}

interface CacheFile {
  readonly profile: string;
  readonly address: string;
  readonly kinds: Readonly<Record<string, readonly Entry[]>>;
}

type Entry = readonly [value: string, note: string, at: number];

/** The most of a kind; nobody completes more. */
export const MOST_CANDIDATES = 1000;
const LONGEST = 256;
const LIFETIME_MS = 60_000;
const LARGEST = 4 * 1024 * 1024;

export function cachePath(paths: Paths, service: string): string {
  return join(paths.cache, `completion-${service}.json`);
}

export function readCandidates(paths: Paths, owner: CacheOwner, kind: string, now: number): Candidate[] {
  return selectFresh(readCache(paths, owner)?.kinds[kind], now).map(([value, note]) =>
    note === '' ? { value } : { value, note },
  );
}

/** Adds to the names that are still fresh. Another owner's names are dropped. */
export function keepCandidates(
  paths: Paths,
  owner: CacheOwner,
  found: ReadonlyMap<string, readonly Candidate[]>,
  { now, pid }: { readonly now: number; readonly pid: number },
): void {
  const kinds: Record<string, readonly Entry[]> = {};
  for (const [kind, entries] of Object.entries(readCache(paths, owner)?.kinds ?? {}))
    kinds[kind] = selectFresh(entries, now);
  for (const [kind, candidates] of found) {
    const added = new Map<string, Entry>();
    for (const { value, note = '' } of candidates)
      if (value.length <= LONGEST) added.set(value, [value, note.slice(0, LONGEST), now]);
    const older = (kinds[kind] ?? []).filter(([value]) => !added.has(value));
    kinds[kind] = [...added.values(), ...older].slice(0, MOST_CANDIDATES);
  }
  const { profile, address } = owner;
  replaceCache(cachePath(paths, owner.service), JSON.stringify({ profile, address, kinds } satisfies CacheFile), pid);
}

function selectFresh(entries: readonly Entry[] | undefined, now: number): readonly Entry[] {
  return (Array.isArray(entries) ? entries : []).filter(
    (entry) => isEntry(entry) && entry[2] <= now && entry[2] > now - LIFETIME_MS,
  );
}

function isEntry(value: unknown): value is Entry {
  return (
    Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string' && typeof value[2] === 'number'
  );
}

function readCache(paths: Paths, { service, profile, address }: CacheOwner): CacheFile | undefined {
  try {
    const path = cachePath(paths, service);
    if (statSync(path).size > LARGEST) return undefined;
    const file = JSON.parse(readOwnFile(path).toString()) as CacheFile;
    return file.profile === profile && file.address === address && typeof file.kinds === 'object' ? file : undefined;
  } catch {
    return undefined;
  }
}
