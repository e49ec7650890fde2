/** The tables in docs/ and the reference come from the code, and what documents name exists. `UPDATE_DOCUMENTS=1` writes the tables again. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manualPages } from '../../scripts/reference/manual.ts';
import { preparedReference } from '../../scripts/reference/prepared.ts';
import { buildCommandTree } from '../../src/cli/reference/tree.ts';
import { TOPICS } from '../../src/cli/topics.ts';
import { ERROR_KINDS, EXIT_STATUSES } from '../../src/errors.ts';
import { GROUPS } from '../../src/features/index.ts';
import { SETTING_KEYS, VARIABLES } from '../../src/store/setting-keys.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const DOCUMENTS = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].map((name) => join(DOCS, '..', name)),
  ...readdirSync(DOCS).flatMap((name) => (name.endsWith('.md') ? [join(DOCS, name)] : [])),
];
const PACKAGE = join(import.meta.dirname, '../../package.json');
const UPDATE = process.env['UPDATE_DOCUMENTS'] !== undefined;

function table(head: readonly [string, string], rows: readonly (readonly [string, string])[]): string {
  return [`| ${head.join(' | ')} |`, '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
}

/** By the file, where the table is between two comments. */
const TABLES: Readonly<Record<string, string>> = {
  'exit-statuses.md': table(
    ['status', 'meaning'],
    EXIT_STATUSES.map(([status, meaning]) => [String(status), meaning]),
  ),
  'configuration.md': table(
    ['variable', 'meaning'],
    [
      ...SETTING_KEYS.flatMap(({ env, help, key }): [string, string][] =>
        env === undefined ? [] : [[`\`${env}\``, `${help} (setting \`${key}\`)`]],
      ),
      ...VARIABLES.map(({ name, help }): [string, string] => [`\`${name}\``, help]),
    ],
  ),
};

describe('docs', () => {
  it.each(Object.entries(TABLES))('%s has the table that the code has', (file, expected) => {
    const path = join(DOCS, file);
    const text = readFileSync(path, 'utf8');
    const between = /(<!-- table -->\n)([\s\S]*?)(\n?<!-- \/table -->)/;
    if (UPDATE)
      writeFileSync(
        path,
        text.replace(between, (_, open) => `${open}${expected}\n<!-- /table -->`),
      );
    else expect(between.exec(text)?.[2]).toBe(expected);
  });

  it('names an exit status for every error', () => {
    const listed = new Set(EXIT_STATUSES.map(([status]) => status));
    expect(Object.values(ERROR_KINDS).filter(({ exit }) => !listed.has(exit))).toEqual([]);
  });
});

/** The command lines in spans that begin with `svc` and in blocks, up to what the shell or another command reads. */
function commandLines(text: string): readonly string[] {
  const joined = text.replaceAll(/\\\n\s*/g, '');
  const spans = [...joined.matchAll(/`svc ([^`]+)`/g)].map(([, line = '']) => line);
  const blocks = [...joined.matchAll(/^```(?:sh|console|crontab|yaml)[^\n]*\n([\s\S]*?)^```/gm)].map(
    ([, block = '']) => block,
  );
  const lines = blocks.flatMap((block) =>
    [...block.matchAll(/(?<![/\w-])svc ([^\n`]+)/g)].map(([, line = '']) => line),
  );
  return [...spans, ...lines].map((line) => line.split(/ -- |[|;#)&'"]/)[0] ?? '');
}

describe('the commands in documents', async () => {
  const { groups, optionSets } = await buildCommandTree(GROUPS);
  const common = Object.values(optionSets).flat();
  const commands = new Map(
    groups.flatMap((group) =>
      group.commands.flatMap((command) => [command.id, ...command.aliases].map((id) => [id, command] as const)),
    ),
  );
  const find = (line: string) => {
    const parts = line.split(/\s+/);
    const ids = [3, 2, 1].map((count) => parts.slice(0, count).join(' '));
    return ids.flatMap((id) => commands.get(id) ?? commands.get(`${id} list`) ?? []).at(0);
  };

  it.each(DOCUMENTS)('and their options exist: %s', (name) => {
    const lines = commandLines(readFileSync(name, 'utf8'));
    for (const line of lines) {
      const command = find(line);
      const isOfGroup = groups.some((group) => line.startsWith(`${group.name} `));
      if (command === undefined) expect(isOfGroup, line).toBe(false);
      if (command === undefined) continue;
      const known = [...command.options, ...common].map((option) => `--${option.negated ? 'no-' : ''}${option.name}`);
      for (const [option] of line.matchAll(/(?<= )--[a-z][a-z-]*/g))
        expect([...known, '--help'], line).toContain(option);
    }
  });
});

it.each(DOCUMENTS)('the links lead to files and headings: %s', (name) => {
  for (const [, target = '', anchor] of readFileSync(name, 'utf8').matchAll(
    /\]\((?!https?:)([^)#\s]*)#?([^)\s]+)?\)/g,
  )) {
    const path = target === '' ? name : join(name, '..', target);
    expect(existsSync(path), target).toBe(true);
    if (anchor === undefined) continue;
    const headings = [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
    expect(
      headings.map((heading) =>
        heading
          .toLowerCase()
          .replaceAll(' ', '-')
          .replaceAll(/[^\w-]/g, ''),
      ),
    ).toContain(anchor);
  }
});

describe('package.json', () => {
  it('lists the manual: npm links only the pages that are named', async () => {
    const text = readFileSync(PACKAGE, 'utf8');
    const man = Object.keys(await manualPages(GROUPS)).map((file) => `man/${file}`);
    if (UPDATE) {
      const list = `"man": [\n${man.map((file) => `    "${file}"`).join(',\n')}\n  ]`;
      writeFileSync(PACKAGE, text.replace(/"man": \[[^\]]*\]/, list));
    } else expect(JSON.parse(text).man, 'UPDATE_DOCUMENTS=1 npx vitest run test/structure').toEqual(man);
  });
});

function headingsIn(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'));
}

describe('docs/reference', async () => {
  const tree = await buildCommandTree(GROUPS);
  const pages = new Map(Object.entries(await preparedReference()));

  it('has a page for each group and each topic, an index, and no other', () => {
    const names = [...GROUPS.map(({ name }) => name), ...TOPICS.map(({ name }) => name), 'index', 'help'];
    const files = names.map((name) => `${name}.md`);
    expect([...pages.keys()].sort()).toEqual(files.sort());
  });

  it('has every command with its options, columns and examples', () => {
    for (const { name, commands } of tree.groups) {
      for (const { id, options, output, examples } of commands) {
        expect(pages.get('index.md')).toContain(`\`svc ${id}\``);
        const parts = [
          `# svc ${id}\n`,
          ...options.map((option) => `--${option.negated ? 'no-' : ''}${option.name}`),
          ...output.columns.map((column) => column.name),
          ...examples.map(({ run }) => run),
        ];
        expect(parts.filter((part) => pages.get(`${name}.md`)?.includes(part) !== true)).toEqual([]);
      }
    }
  });

  it('links only to existing headings', () => {
    const links = [...pages].flatMap(([file, text]) =>
      [...text.matchAll(/\]\(([a-z-]*\.md)?(?:#([^)]*))?\)/g)].map(([, target = file, anchor]) => ({
        file,
        target,
        anchor,
      })),
    );
    expect(links.length).toBeGreaterThan(100);
    const broken = links.filter(({ target, anchor }) => {
      const page = pages.get(target);
      return page === undefined || (anchor !== undefined && !headingsIn(page).includes(anchor));
    });
    expect(broken).toEqual([]);
  });
});
