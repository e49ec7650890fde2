/** YAML files read by schema; every problem has a line and a column. */

import type { Node, ScalarTag, Document as YamlDocument } from 'yaml';
import type * as z from 'zod/mini';
import { MergeFault, Merges } from './yaml-merges.ts';

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
