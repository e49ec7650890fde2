/**
 * The server's library assigns one field after the other, so a merge (`<<`) after a field replaces
 * it. Later lists of matchers are appended to earlier ones, and labels are merged.
 */
import type { Alias, Node, Pair, YAMLMap, YAMLSeq } from 'yaml';

type Yaml = typeof import('yaml');

/** `offset`: where in the text. */
export class MergeFault extends Error {
  readonly offset: number;
  constructor(message: string, node: unknown) {
    super(message);
    this.offset = (node as Node | null)?.range?.[0] ?? 0;
  }
}

/** Merged lists can double with each line. */
const MOST_MERGED = 10_000;

/** Replaces merge keys below a node by what they mean. Throws `MergeFault`. */
export class Merges {
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
