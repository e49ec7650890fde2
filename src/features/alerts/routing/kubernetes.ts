/** The configuration in a Kubernetes object, as `kubectl get -o yaml` prints it. */
import { gunzipSync } from 'node:zlib';
import { SvcError } from '../../../errors.ts';
import { isObject } from '../../../json-object.ts';

interface Entry {
  /** `data of Secret monitoring/alertmanager-main, alertmanager.yaml` */
  readonly where: string;
  readonly key: string;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Undefined if the text is no Kubernetes object. `path` names it in errors. */
export async function configurationIn(text: string, path: string): Promise<Entry | undefined> {
  if (!/\bkind["']?\s*:/.test(text)) return undefined;
  const objects = await objectsOf(text);
  const [first] = objects;
  if (first === undefined) return undefined;
  const entries = objects.flatMap(entriesOf);
  const named = entries.filter(({ key }) => /^alertmanager\.ya?ml(?:\.gz)?$/.test(key));
  const [only, ...others] = named.length > 0 ? named : entries;
  if (only === undefined) throw withoutConfiguration(objects, path);
  if (others.length === 0) return only;
  throw new SvcError(
    'invalid_value',
    `${path} has several configurations: ${entries.map(({ where }) => where).join('; ')}`,
    {
      hint: "write one to a file: kubectl get secret NAME -o jsonpath='{.data.KEY}' | base64 -d > alertmanager.yml",
    },
  );
}

/** None if it is not YAML: what is wrong with it is reported with its line where it is read. */
async function objectsOf(text: string): Promise<Fields[]> {
  const { parseAllDocuments } = await import('yaml');
  try {
    return [...parseAllDocuments(text, { logLevel: 'silent' })].flatMap((document) => objectsIn(document.toJS()));
  } catch {
    return [];
  }
}

/** The documents of other kinds have no such fields. */
function objectsIn(value: unknown): Fields[] {
  if (!isObject(value) || typeof value['apiVersion'] !== 'string' || typeof value['kind'] !== 'string') return [];
  const { items } = value;
  return Array.isArray(items) ? items.flatMap(objectsIn) : [value];
}

/** The texts that have a route. */
function entriesOf(object: Fields): Entry[] {
  const { kind, data, stringData, metadata } = object;
  const decode = kind === 'Secret' ? decoded : undefined;
  const { namespace, name } = fields(metadata);
  const owner = `${kind} ${[namespace, name].filter(Boolean).join('/')}`;
  return [
    ...textsOf(data, decode).map(([key, text]) => ({ where: `${key} in data of ${owner}`, key, text })),
    // It replaces what data has.
    ...textsOf(stringData).map(([key, text]) => ({ where: `${key} in stringData of ${owner}`, key, text })),
  ].filter(
    ({ key, text }, index, all) => /^route:/m.test(text) && all.findLastIndex((one) => one.key === key) === index,
  );
}

function textsOf(values: unknown, decode = (text: string, _key: string) => text): [string, string][] {
  return Object.entries(fields(values)).flatMap(([key, text]) =>
    typeof text === 'string' ? [[key, decode(text, key)] as [string, string]] : [],
  );
}

const LARGEST = 16 * 1024 * 1024;

/** The Prometheus operator stores what it generates compressed. */
function decoded(text: string, key: string): string {
  const bytes = Buffer.from(text, 'base64');
  try {
    return (key.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: LARGEST }) : bytes).toString();
  } catch {
    return '';
  }
}

function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

const GENERATED =
  'the Prometheus operator adds a namespace matcher and merges it with others: check what it generated, ' +
  'kubectl get secret alertmanager-NAME-generated -o yaml | svc alerts config check -';

function withoutConfiguration(objects: readonly Fields[], path: string): SvcError {
  const kinds = [...new Set(objects.map(({ kind }) => String(kind)))];
  const isPart = kinds.includes('AlertmanagerConfig');
  const what = isPart
    ? 'AlertmanagerConfig objects, which are'
    : `Kubernetes objects (${kinds.join(', ')}), which have`;
  const text = isPart ? `${what} only a part of a configuration` : `${what} no configuration of an Alertmanager`;
  return new SvcError('invalid_value', `${path} has ${text}`, {
    hint: isPart ? GENERATED : 'pass a ConfigMap or a Secret with alertmanager.yml, or the file itself',
  });
}
