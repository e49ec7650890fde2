/** The tables in the README and the reference are made from what is in the code. `UPDATE_DOCUMENTS=1` writes them anew. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HELP } from '../../src/cli/reference/help-command.ts';
import { manualPages } from '../../src/cli/reference/manual.ts';
import { referencePages } from '../../src/cli/reference/pages.ts';
import { commandNode, commandTree } from '../../src/cli/reference/tree.ts';
import { ERROR_KINDS, EXIT_STATUSES } from '../../src/errors.ts';
import { GROUPS } from '../../src/features/index.ts';
import { SETTING_KEYS, type Setting, VARIABLES } from '../../src/store/setting-keys.ts';

const README = join(import.meta.dirname, '../../README.md');
const PACKAGE = join(import.meta.dirname, '../../package.json');
const REFERENCE = join(import.meta.dirname, '../../docs/reference');
const UPDATE = process.env['UPDATE_DOCUMENTS'] !== undefined;

function table(head: readonly [string, string], rows: readonly (readonly [string, string])[]): string {
  return [`| ${head.join(' | ')} |`, '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
}

const SECTIONS: Readonly<Record<string, string>> = {
  'exit-statuses': table(
    ['status', 'meaning'],
    EXIT_STATUSES.map(([status, meaning]) => [String(status), meaning]),
  ),
  environment: table(
    ['variable', 'meaning'],
    [
      ...(SETTING_KEYS as readonly Setting[]).flatMap(({ env, help, key }): [string, string][] =>
        env === undefined ? [] : [[`\`${env}\``, `${help} (setting \`${key}\`)`]],
      ),
      ...VARIABLES.map(({ name, help }): [string, string] => [`\`${name}\``, help]),
    ],
  ),
};

describe('the README', () => {
  it.each(Object.entries(SECTIONS))('has the %s that the code has', (name, expected) => {
    const text = readFileSync(README, 'utf8');
    const between = new RegExp(`(<!-- ${name} -->\\n)([^]*?)(\\n<!-- /${name} -->)`);
    if (UPDATE)
      writeFileSync(
        README,
        text.replace(between, (_, open, __, close) => open + expected + close),
      );
    else expect(between.exec(text)?.[2]).toBe(expected);
  });

  it('names an exit status for every error', () => {
    const listed = new Set(EXIT_STATUSES.map(([status]) => status));
    expect(Object.values(ERROR_KINDS).filter(({ exit }) => !listed.has(exit))).toEqual([]);
  });
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

describe('docs/reference', async () => {
  const pages = referencePages(await commandTree(GROUPS), commandNode(HELP));
  if (UPDATE) {
    rmSync(REFERENCE, { recursive: true, force: true });
    mkdirSync(REFERENCE, { recursive: true });
    for (const [file, text] of pages) writeFileSync(join(REFERENCE, file), text);
  }

  it.each([...pages])('has %s as it is declared', (file, text) => {
    expect(readFileSync(join(REFERENCE, file), 'utf8'), 'UPDATE_DOCUMENTS=1 npx vitest run test/structure').toBe(text);
  });

  it('has a page for each group, and none that nobody made', () => {
    expect(readdirSync(REFERENCE).sort()).toEqual([...pages.keys()].sort());
    expect([...pages.keys()]).toEqual(expect.arrayContaining(GROUPS.map(({ name }) => `${name}.md`)));
  });

  it('leads only to headings that are there', () => {
    const anchors = (text: string): Set<string> =>
      new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-')));
    for (const [file, text] of pages) {
      for (const [, target = '', anchor] of text.matchAll(/\]\(([a-z-]*\.md)?(?:#([^)]*))?\)/g)) {
        const page = pages.get(target === '' ? file : target);
        expect(page, `${file} leads to ${target}`).toBeDefined();
        if (anchor !== undefined) expect(anchors(page ?? ''), `${file} leads to ${target}`).toContain(anchor);
      }
    }
  });
});
