import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const path = new URL('../../scripts/licenses.mjs', import.meta.url).href;
const { licenses } = (await import(path)) as { licenses(files: readonly string[]): string };

const packages = join(mkdtempSync(join(tmpdir(), 'svc-licenses-')), 'node_modules');
afterAll(() => rmSync(join(packages, '..'), { recursive: true, force: true }));

/** A file of a package with this package.json. */
function bundled(name: string, fields: Record<string, unknown>, text?: string): string {
  const folder = join(packages, name);
  mkdirSync(folder, { recursive: true });
  const named = { name, version: '1.2.3', license: 'MIT', repository: `owner/${name.replace(/.*\//, '')}`, ...fields };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(named));
  if (text !== undefined) writeFileSync(join(folder, 'LICENSE.md'), text);
  return join(folder, 'lib/index.js');
}

describe('the licenses of bundled packages', () => {
  it('appear once for each package, with the address of its source', () => {
    const one = bundled('one', { repository: { type: 'git', url: 'git+https://example.com/one.git' } }, 'Of one.\n');
    const two = bundled('@scope/two', { license: 'ISC' }, 'Of two.');
    expect(licenses([one, '/checkout/src/main.ts', two, one, '\0runtime.js'])).toBe(
      [
        '@scope/two 1.2.3 (ISC)\nhttps://github.com/owner/two\n\nOf two.\n',
        'one 1.2.3 (MIT)\nhttps://example.com/one\n\nOf one.\n',
      ].join(`\n${'-'.repeat(80)}\n\n`),
    );
  });

  it.each([
    ['a license that was not looked at', { license: 'GPL-3.0' }, 'Text', 'the license is not one of'],
    ['no license', { license: undefined }, 'Text', 'the license is not one of'],
    ['no text', {}, undefined, 'no license text'],
    ['an empty text', {}, ' \n', 'no license text'],
    ['no place of its source', { repository: undefined }, 'Text', 'does not say where its source is'],
  ])('fail the build if a package has %s', (what, fields, text, fault) => {
    const good = bundled('good', {}, 'Text');
    const name = what.replaceAll(' ', '-');
    expect(() => licenses([good, bundled(name, fields, text)])).toThrow(
      new RegExp(`^the bundle cannot be distributed:\\n${name} 1\\.2\\.3 [^\\n]*: ${fault}[^\\n]*$`),
    );
  });
});
