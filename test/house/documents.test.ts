/** The tables in the README are made from the tables in the code. `UPDATE_DOCUMENTS=1` writes them anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_KINDS, EXIT_STATUSES } from '../../src/errors.ts';
import { SETTING_KEYS, type Setting, VARIABLES } from '../../src/store/setting-keys.ts';

const README = join(import.meta.dirname, '../../README.md');

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
    if (process.env['UPDATE_DOCUMENTS'])
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
