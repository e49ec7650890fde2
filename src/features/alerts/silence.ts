/** Silence ids: UUIDs. The server takes upper-case ones, but then finds nothing, so they are sent in lower case. */
import { SvcError } from '../../errors.ts';
import type { Alertmanager } from './client.ts';
import { checkPrefix, findByPrefix, type IdKind, isUuid } from './id-prefix.ts';
import type { Silence } from './schema.ts';

const SILENCE: IdKind = {
  thing: 'silence',
  form: /^[0-9a-f][0-9a-f-]{0,35}$/,
  hint: 'svc silences list -a shows all, expired ones too',
};

/** The one silence whose id is, or begins with, the text. */
export function findAmong(silences: Iterable<Silence>, prefix: string): Silence {
  return findByPrefix(silences, prefix, ({ id }) => id.toLowerCase(), SILENCE);
}

/** Reads one silence by a whole id, and the list of all by the beginning of one. */
export async function findSilence(
  alertmanager: Pick<Alertmanager, 'silence' | 'silences'>,
  idOrPrefix: string,
): Promise<Silence> {
  if (isUuid(idOrPrefix)) return alertmanager.silence(idOrPrefix);
  checkPrefix(idOrPrefix, SILENCE); // before anything is sent
  return findAmong(await readSilences(alertmanager), idOrPrefix);
}

/** One id, or the beginning of one, and what is there for it. */
export type FoundSilence =
  | { readonly typed: string; readonly silence: Silence; readonly error?: undefined }
  | { readonly typed: string; readonly silence?: undefined; readonly error: SvcError };

/** Looks all of them up, each silence once; one that is not there does not keep the others from being found. */
export async function findSilences(
  alertmanager: Pick<Alertmanager, 'silence' | 'silences'>,
  idsOrPrefixes: readonly string[],
): Promise<readonly FoundSilence[]> {
  for (const typed of idsOrPrefixes) checkPrefix(typed, SILENCE); // before anything is sent
  const [only] = idsOrPrefixes;
  const among =
    idsOrPrefixes.length === 1 && only !== undefined && isUuid(only)
      ? [await alertmanager.silence(only)]
      : await readSilences(alertmanager);
  const found = new Map<string, FoundSilence>();
  for (const typed of idsOrPrefixes) {
    try {
      const silence = findAmong(among, typed);
      found.set(silence.id, { typed, silence });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      found.set(typed, { typed, error });
    }
  }
  return [...found.values()];
}

/** All of them, expired ones too. */
export async function readSilences(alertmanager: Pick<Alertmanager, 'silences'>): Promise<readonly Silence[]> {
  const silences: Silence[] = [];
  for await (const silence of alertmanager.silences()) silences.push(silence);
  return silences;
}
