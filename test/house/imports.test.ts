/** Who may import whom. The rules are the house's walls: a new arrow is a decision, not an accident. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

function files(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort();
}

function imports(): Import[] {
  return files().flatMap((from) => {
    const text = readFileSync(join(SRC, from), 'utf8');
    const found: Import[] = [];
    const statement = /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'/gms;
    for (const [, type, target] of text.matchAll(statement))
      found.push({ from, to: target ?? '', typeOnly: type !== undefined });
    for (const [, target] of text.matchAll(/import\('([^']+)'\)/g))
      found.push({ from, to: target ?? '', typeOnly: false });
    return found
      .filter(({ to }) => to.startsWith('.'))
      .map((found) => ({ ...found, to: relative(SRC, resolve(SRC, dirname(from), found.to)) }));
  });
}

/** The room a file is in: its folder, or its own name at the top of src. Services are rooms of their own. */
function room(file: string): string {
  const [first = '', second = ''] = file.split('/');
  if (first === 'services') return `services/${second}`;
  return first.replace(/\.ts$/, '');
}

/** Rooms that a room may import, beside `errors`, `json-object` and the types of `context`, which are everybody's. */
const ALLOWED: Readonly<Record<string, readonly RegExp[]>> = {
  errors: [],
  'json-object': [],
  context: [],
  process: [],
  http: [],
  output: [],
  store: [],
  auth: [/^store\//, /^services\/oauth\//, /^http\/target\.ts$/],
  // of http only what holds no connection: request values, the curl form, redaction, addresses
  cli: [/^output\//, /^store\//, /^http\/(endpoint|target|as-curl|redact|known-secrets|address)\.ts$/],
  'services/*': [/^http\//, /^store\/own-file\.ts$/],
  sandbox: [/^services\/[^/]+\/[^/]+\.ts$/],
  views: [/^services\//, /^output\/types\.ts$/],
  inputs: [/^cli\//, /^services\//, /^store\//, /^http\/(redact|reach|as-curl)\.ts$/],
  commands: [
    /^http\/as-curl\.ts$/,
    /^views\//,
    /^inputs\//,
    /^cli\//,
    /^services\//,
    /^store\//,
    /^sandbox\//,
    /^output\/types\.ts$/,
  ],
  registry: [/^commands\//, /^cli\/command\.ts$/],
  // what is told about svc, of it all
  reference: [/^cli\//, /^store\/setting-keys\.ts$/, /^output\/types\.ts$/, /^\.\.\/package\.json$/],
  main: [
    /^cli\//,
    /^reference\/help-command\.ts$/,
    /^registry\.ts$/,
    /^auth\.ts$/,
    /^http\/known-secrets\.ts$/,
    /^output\//,
    /^\.\.\/package\.json$/,
  ],
  pages: [/^cli\/help\.ts$/, /^reference\/manual\.ts$/, /^registry\.ts$/],
  entry: [/^main\.ts$/, /^process\/context\.ts$/, /^store\/paths\.ts$/],
};

/** Types may cross where values may not. */
const ALLOWED_TYPES: Readonly<Record<string, readonly RegExp[]>> = {
  'services/*': [/^store\/(settings|credentials)\.ts$/],
};

function permitted({ from, to, typeOnly }: Import): boolean {
  if (to === 'errors.ts' || to === 'json-object.ts' || (to === 'context.ts' && typeOnly)) return true;
  const here = room(from);
  // commands share through views and inputs, never with each other
  if (here === room(to)) return here !== 'commands';
  const key = here.startsWith('services/') ? 'services/*' : here;
  const rules = [...(ALLOWED[key] ?? []), ...(typeOnly ? (ALLOWED_TYPES[key] ?? []) : [])];
  // auth is for main and for the commands that manage credentials
  if (to === 'auth.ts' && from.startsWith('commands/oauth/')) return true;
  return rules.some((rule) => rule.test(to));
}

describe('the import graph', () => {
  it('finds the imports it is to judge', () => {
    expect(imports().length).toBeGreaterThan(50);
    expect(new Set(files().map((file) => room(file).replace(/^services\/.*/, 'services/*')))).toEqual(
      new Set(Object.keys(ALLOWED)),
    );
  });

  it('keeps to the walls', () => {
    const through = imports().filter((found) => !permitted(found));
    expect(through.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('has no circles between files', () => {
    const edges = new Map<string, string[]>();
    for (const { from, to, typeOnly } of imports()) if (!typeOnly) edges.set(from, [...(edges.get(from) ?? []), to]);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (done.has(file) || path.includes(file)) return;
      for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files()) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('has a folder of its own for each group, one command a file', () => {
    for (const file of files().filter((file) => file.startsWith('commands/'))) {
      const text = readFileSync(join(SRC, file), 'utf8');
      const declared = text.match(/^export const \w+ = (list|record|chart|text)Command\(/gm) ?? [];
      expect(declared, file).toHaveLength(1);
    }
  });
});
