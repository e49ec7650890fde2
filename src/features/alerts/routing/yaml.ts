/** YAML files read by schema; every problem has a line and a column. */
import type { Alias, Node, Pair, ScalarTag, YAMLMap, YAMLSeq, Document as YamlDocument } from 'yaml';
import type * as z from 'zod/mini';

export type Path = readonly PropertyKey[];

export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface YamlFile {
  /** Of the first document. Numbers are texts, as the server reads most of them. */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Where a second document begins, which nothing reads. */
  readonly ignored: readonly Problem[];
  /** The position of a field or its value (`of`), or the closest thing around it that exists. */
  problemAt(path: Path, message: string, of?: 'key'): Problem;
}

// Scalars that YAML 1.1 does not read as text, and that fields of the configuration tell apart.
const NULL = /^(?:~|null|Null|NULL)?$/;
const BOOLEAN = /^(?:[yY]|[yY]es|YES|[tT]rue|TRUE|[oO]n|ON|[nN]|[nN]o|NO|[fF]alse|FALSE|[oO]ff|OFF)$/;

/** A plain `yes`: true for a field that is a boolean, and the text itself for all others. */
export class PlainBoolean {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  get value(): boolean {
    return /^(?:y|t|on)/i.test(this.text);
  }
}

const TAGS: ScalarTag[] = [
  {
    identify: (value) => value === null,
    default: true,
    tag: 'tag:yaml.org,2002:null',
    test: NULL,
    resolve: () => null,
  },
  {
    identify: (value) => value instanceof PlainBoolean,
    default: true,
    tag: 'tag:yaml.org,2002:bool',
    test: BOOLEAN,
    resolve: (text) => new PlainBoolean(text),
  },
];

/** Real configurations have hundreds of routes that refer to one. */
const MOST_ALIASES = 10_000;

/** The library calls itself for nested values, until the stack is full. */
const TOO_DEEP = 'the values are nested too deeply';

export async function readYaml(text: string): Promise<YamlFile> {
  const yaml = await import('yaml');
  const { Document, LineCounter, parseAllDocuments, isMap, isNode, isScalar } = yaml;
  const lines = new LineCounter();
  const problems: Problem[] = [];
  let document: InstanceType<typeof Document> = new Document();
  let second: InstanceType<typeof Document> | undefined;
  try {
    // The server reads the first document only.
    [document = document, second] = parseAllDocuments(text, {
      version: '1.1',
      schema: 'failsafe',
      customTags: TAGS,
      // The library compares each key with all before it: 10,000 keys would take seconds.
      uniqueKeys: false,
      lineCounter: lines,
      prettyErrors: false,
      // Warnings would show the text unescaped.
      logLevel: 'error',
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.push({ line: 1, column: 1, message: TOO_DEEP });
  }
  const at = (offset: number, message: string): Problem => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col, message };
  };
  const offsetOf = (path: Path, of: 'key' | undefined): number => {
    for (let length = path.length; length > 0; length--) {
      const parent = document.getIn(path.slice(0, length - 1), true);
      const last = path[length - 1];
      const pair = isMap(parent)
        ? parent.items.find(({ key }) => (isScalar(key) ? String(key.value) : undefined) === last)
        : undefined;
      const value = document.getIn(path.slice(0, length), true) as Node | undefined;
      const node = of !== 'key' && isNode(value) && value.range?.[0] !== value.range?.[1] ? value : pair?.key;
      if (isNode(node) && node.range) return node.range[0];
    }
    return document.contents?.range?.[0] ?? 0;
  };
  const exhausted = document.errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  for (const { pos, message } of exhausted === undefined ? document.errors : [{ ...exhausted, message: TOO_DEEP }])
    problems.push(at(pos[0], message));
  for (const offset of repeatedKeys(yaml, document)) problems.push(at(offset, 'Map keys must be unique'));
  let value: unknown;
  try {
    if (problems.length === 0) {
      new Merges(yaml).resolve(document.contents);
      value = document.toJS({ maxAliasCount: MOST_ALIASES });
    }
  } catch (error) {
    // What is merged is no mapping, or too many aliases.
    const offset = error instanceof MergeFault ? error.offset : 0;
    problems.push(at(offset, error instanceof RangeError ? TOO_DEEP : (error as Error).message));
  }
  const rest = second?.contents?.range?.[0];
  const ignored = rest === undefined ? [] : [at(rest, 'the server does not read this document: it is not the first')];
  // The library reports an open bracket once for each of those around it.
  const distinct = [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
  return { value, problems: distinct, ignored, problemAt: (path, message, of) => at(offsetOf(path, of), message) };
}

/** Where a key is that its mapping has already. Merge keys may be repeated. */
function repeatedKeys({ isScalar, visit }: typeof import('yaml'), document: YamlDocument): readonly number[] {
  const offsets: number[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key) || key.source === undefined || key.source === '<<') continue;
        if (seen.has(key.source)) offsets.push(key.range?.[0] ?? 0);
        seen.add(key.source);
      }
    },
  });
  return offsets;
}

type Checked<T> = { readonly data: T } | { readonly problems: readonly Problem[] };

/** Unknown fields are returned apart: they may be mistyped, or newer than the schema. */
export function checkYaml<T>(
  { value, problems, problemAt }: YamlFile,
  schema: z.ZodMiniType<T>,
): Checked<T> & { readonly unknown: readonly Problem[] } {
  if (problems.length > 0) return { problems, unknown: [] };
  const unknown: Problem[] = [];
  let parsed = schema.safeParse(value);
  for (const issue of parsed.error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue;
    const owner = issue.path.reduce((at, name) => at[name] as Fields, value as Fields);
    for (const key of issue.keys) {
      unknown.push(problemAt([...issue.path, key], `the field ${key} is not known`, 'key'));
      delete owner[key];
    }
  }
  if (unknown.length > 0) parsed = schema.safeParse(value);
  if (parsed.success) return { data: parsed.data, unknown };
  return { problems: parsed.error.issues.map(({ path, message }) => problemAt(path, message)), unknown };
}

type Fields = Record<PropertyKey, unknown>;

type Yaml = typeof import('yaml');

/** `offset`: where in the text. */
class MergeFault extends Error {
  readonly offset: number;
  constructor(message: string, node: unknown) {
    super(message);
    this.offset = (node as Node | null)?.range?.[0] ?? 0;
  }
}

/** Merged lists can double with each line. */
const MOST_MERGED = 10_000;

/** Replaces merge keys below a node by what they mean. Throws `MergeFault`. */
class Merges {
  readonly #yaml: Yaml;
  readonly #anchors = new Map<string, Node>();
  /** The collections that are being read. */
  readonly #open = new Set<unknown>();

  constructor(yaml: Yaml) {
    this.#yaml = yaml;
  }

  resolve(node: unknown): void {
    const { isMap, isSeq } = this.#yaml;
    const { anchor } = (node ?? {}) as Partial<Node> & { readonly anchor?: string };
    if (anchor !== undefined) this.#anchors.set(anchor, node as Node);
    this.#open.add(node);
    if (isSeq(node)) for (const item of node.items) this.resolve(item);
    if (isMap(node)) this.#resolveMap(node);
    this.#open.delete(node);
  }

  #resolveMap(map: YAMLMap): void {
    const { isScalar } = this.#yaml;
    const fields = new Map<string, Pair>();
    let hasMerges = false;
    for (const pair of map.items) {
      // A plain `yes` is the text as a name.
      if (isScalar(pair.key) && typeof pair.key.value === 'object') pair.key.value = pair.key.source ?? '';
      this.resolve(pair.value);
      if (!this.#isMerge(pair.key)) this.#assign(fields, pair);
      else for (const merged of this.#mergedPairs(pair.value)) this.#assign(fields, merged);
      hasMerges ||= this.#isMerge(pair.key);
    }
    if (hasMerges) map.items = [...fields.values()];
  }

  #isMerge(key: unknown): boolean {
    return this.#yaml.isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
  }

  /** In the order in which they are assigned: of several mappings, the first takes precedence. */
  #mergedPairs(value: unknown): readonly Pair[] {
    const { isMap, isSeq } = this.#yaml;
    const source = this.#target(value);
    const maps = isSeq(source) ? source.items.map((item) => this.#target(item)).reverse() : [source];
    return maps.flatMap((map) => {
      if (!isMap(map)) throw new MergeFault('only mappings can be merged', value);
      if (this.#open.has(map)) throw new MergeFault('a mapping cannot be merged into itself', value);
      return map.items;
    });
  }

  #target(node: unknown): unknown {
    if (!this.#yaml.isAlias(node)) return node;
    const target = this.#anchors.get((node as Alias).source);
    if (target === undefined) throw new MergeFault(`no anchor is named ${(node as Alias).source}`, node);
    return target;
  }

  #assign(fields: Map<string, Pair>, pair: Pair): void {
    const { isMap, isScalar, isSeq, Pair: NewPair } = this.#yaml;
    const name = isScalar(pair.key) ? String(pair.key.value) : '';
    const [before, after] = [this.#target(fields.get(name)?.value), this.#target(pair.value)];
    let { value } = pair;
    if (name.endsWith('matchers') && isSeq(before) && isSeq(after)) value = this.#appended(before, after);
    if (/(?:^|_)match(?:_re)?$/.test(name) && isMap(before) && isMap(after)) value = this.#added(before, after);
    fields.set(name, value === pair.value ? pair : new NewPair(pair.key, value));
  }

  #appended(before: YAMLSeq, after: YAMLSeq): YAMLSeq {
    const both = new this.#yaml.YAMLSeq();
    both.items = [...before.items, ...after.items];
    if (both.items.length > MOST_MERGED) throw new MergeFault('too many values are merged', after);
    return both;
  }

  #added(before: YAMLMap, after: YAMLMap): YAMLMap {
    const both = new this.#yaml.YAMLMap();
    const twice = after.items.find(({ key }) => before.has(key));
    if (twice !== undefined) throw new MergeFault('a label is set twice', twice.key);
    both.items = [...before.items, ...after.items];
    return both;
  }
}
