/** Who may import whom. A new arrow between two folders is a decision. */
import { describe, expect, it } from 'vitest';
import { declarationsIn, FILES, importsOf } from './source.ts';

const IMPORTS = FILES.flatMap(importsOf);

/** The part of the source a file belongs to: its folder, its feature, or its own name at the top of src. */
function partOf(file: string): string {
  const [first = '', second = '', third] = file.split('/');
  if (first !== 'features') return first.replace(/\.ts$/, '');
  return third === undefined ? 'features' : `features/${second}`;
}

/** Any module may import these. */
const COMMON = ['errors.ts', 'context.ts', 'json-object.ts', 'async-queue.ts', 'duration.ts'];

const GENERAL = [/^(cli|http|output|store)\//];

/** What a part may import besides itself and the common modules. */
const ALLOWED: Readonly<Record<string, readonly RegExp[]>> = {
  errors: [],
  'json-object': [],
  'async-queue': [],
  duration: [],
  context: [],
  process: [],
  output: [],
  http: [],
  store: [],
  cli: [/^(http|output|store)\//, /^\.\.\/package\.json$/],
  sandbox: [/^features\/webhooks\/signature\.ts$/],
  features: [/^features\/\w+\/index\.ts$/, /^features\/(doctor|api)\/commands\//, /^cli\/command\.ts$/],
  'features/alerts': GENERAL,
  'features/silences': [...GENERAL, /^features\/alerts\//],
  'features/oauth': GENERAL,
  'features/webhooks': [...GENERAL, /^features\/oauth\//],
  'features/catalog': GENERAL,
  'features/trade': [...GENERAL, /^features\/oauth\//],
  'features/config': GENERAL,
  'features/completion': [...GENERAL, /^\.\.\/completions\//],
  'features/doctor': [...GENERAL, /^features\/\w+\/checks\.ts$/],
  'features/api': [...GENERAL, /^features\/(alerts|webhooks|catalog)\/api\.ts$/, /^features\/trade\/raw-trade\.ts$/],
  'features/sandbox': [...GENERAL, /^features\/\w+\/checks\.ts$/, /^sandbox\//],
  main: [...GENERAL, /^features\/index\.ts$/, /^features\/oauth\/authorizer\.ts$/, /^\.\.\/package\.json$/],
  complete: [/^cli\/completion\//, /^process\//],
  entry: [/^main\.ts$/, /^process\//],
};

describe('imports', () => {
  it('were found in every part of the source', () => {
    expect(new Set(FILES.map(partOf))).toEqual(new Set(Object.keys(ALLOWED)));
    expect(IMPORTS.length).toBeGreaterThan(FILES.length);
  });

  it('are allowed', () => {
    const others = IMPORTS.filter(({ from, to }) => partOf(from) !== partOf(to) && !COMMON.includes(to));
    const wrong = others.filter(({ from, to }) => !ALLOWED[partOf(from)]?.some((rule) => rule.test(to)));
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it('form no cycle, of values or of types', () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (done.has(file) || path.includes(file)) return;
      for (const { to } of FILES.includes(file) ? importsOf(file) : []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of FILES) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it.each([
    ['trade', ['gateway', 'tables', 'orders', 'commands']],
    ['webhooks', ['captures', 'subscriptions', 'receiver', 'sending', 'probes', 'tunnel', 'commands']],
  ])('of %s go from its commands downward', (feature, layers) => {
    const layer = (file: string): number => {
      const [, second, folder = ''] = file.split('/');
      return second === feature ? layers.indexOf(folder) : -1;
    };
    const upward = IMPORTS.filter(({ from, to }) => layer(from) !== -1 && layer(to) > layer(from));
    expect(upward.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
    expect(layers.map((_, index) => IMPORTS.some(({ to }) => layer(to) === index))).toEqual(layers.map(() => true));
  });

  it('never lead from one command to another', () => {
    const commands = IMPORTS.filter(({ from, to }) => COMMAND.test(from) && COMMAND.test(to));
    expect(commands.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });
});

const COMMAND = /^features\/\w+\/commands\//;

it('each file of a command declares one command', () => {
  const files = FILES.filter((file) => COMMAND.test(file));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => declarationsIn(file).length !== 1)).toEqual([]);
});
