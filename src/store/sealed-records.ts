/**
 * Records whose secrets are in a credential helper. The file holds a seal in their place: the names of the entries, and a sum of their content. Every change
 * of a secret takes new names, so that the file, which is replaced as a whole, decides between the old secret and the new one.
 */
import type { Context } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { LockContext } from './lock.ts';
import type { Seal } from './schemas.ts';
import { HELPER_SETTING } from './setting-keys.ts';
import type { Settings } from './settings.ts';

export type VaultContext = LockContext & Pick<Context, 'env'> & { readonly settings: Pick<Settings, 'get'> };

/** Any record that may have secrets. Those of a sealed one are empty until it is opened. */
export interface Sealable {
  readonly sealed?: Seal | undefined;
}

interface About {
  readonly fields: readonly string[];
  /** A path that tells a person what it is: `webhooks/default/webhooks.example.com`. */
  readonly path: string;
}

/** Replaces each record of a document that may have secrets. */
export type EachRecord<D> = (document: D, change: <R extends Sealable>(record: R, about: About) => R) => D;

export type Secrets = Readonly<Record<string, string>>;

/** Of any record: a public client has none. */
const SECRET_FIELDS = ['client_secret', 'access_token', 'secret'];

export const FILE_STORE = 'file';
/** `file`, or the name of the helper. */
export function chosenStore({ settings }: Pick<VaultContext, 'settings'>): string {
  return settings.get(HELPER_SETTING) ?? FILE_STORE;
}

export function storeOf({ sealed }: Sealable): string {
  return sealed?.helper ?? FILE_STORE;
}

/** Why a record that is in another store than the chosen one is not used. Undefined for one without secrets. */
export function misplaced(record: Sealable, what: string, store: string): SvcError | undefined {
  const actual = storeOf(record);
  if (actual === store || (record.sealed === undefined && !SECRET_FIELDS.some((field) => field in record))) {
    return undefined;
  }
  const isIn = actual === FILE_STORE ? 'in a file' : `in the credential helper ${actual}`;
  const setting = store === FILE_STORE ? `${HELPER_SETTING} is not set` : `${HELPER_SETTING} is ${store}`;
  const other = actual === FILE_STORE ? 'svc config unset' : 'svc config set';
  const undo = `${other} ${HELPER_SETTING}${actual === FILE_STORE ? '' : ` ${actual}`}`;
  const again = isSigningSecret(record) ? 'delete it with svc webhooks secrets delete, and import it' : 'sign in';
  return new SvcError('unauthorized', `${what} is ${isIn}, and ${setting}`, { hint: `${again} again, or: ${undo}` });
}

export function isSigningSecret(record: Sealable): boolean {
  return 'secret' in record || record.sealed?.fields.includes('secret') === true;
}

/** Whether both are the same secret, opened or not. */
export function isSameSecret<R extends Sealable>(a: R, b: R, field: keyof R): boolean {
  return a.sealed === undefined && b.sealed === undefined
    ? a[field] === b[field]
    : a.sealed?.entry === b.sealed?.entry && (a[field] === b[field] || a[field] === '' || b[field] === '');
}

/** Gives sealed records the fields that their seals name, empty. */
export function withPlaceholders<D>(document: D, each: EachRecord<D>): D {
  return each(document, (record) => {
    const { fields = [] } = record.sealed ?? {};
    return { ...Object.fromEntries(fields.map((field) => [field, ''])), ...record };
  });
}

export function sealsIn<D>(document: D, each: EachRecord<D>): readonly Seal[] {
  const seals: Seal[] = [];
  each(document, (record) => {
    if (record.sealed !== undefined) seals.push(record.sealed);
    return record;
  });
  return seals;
}

export function secretsOf(record: Sealable, fields: readonly string[]): Secrets {
  const entries = Object.entries(record).filter(([name, value]) => fields.includes(name) && typeof value === 'string');
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
