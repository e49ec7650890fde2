/** What `npm ci` installs is what was locked, on every platform. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

const ROOT = new URL('../../', import.meta.url);
const REGISTRY = 'https://registry.npmjs.org/';

describe.each(['package-lock.json', 'test/interop/package-lock.json'])('%s', (path) => {
  const { packages } = JSON.parse(readFileSync(new URL(path, ROOT), 'utf8')) as { packages: Record<string, Locked> };
  // The entry without a name is this project.
  const installed = Object.entries(packages).filter(([name, { link }]) => name !== '' && link !== true);

  it('has a SHA-512 sum for every package, including those of other platforms', () => {
    expect(installed.length).toBeGreaterThan(50);
    const without = installed.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it('names the public registry for every package', () => {
    const others = installed.filter(([, { resolved = REGISTRY }]) => !resolved.startsWith(REGISTRY));
    expect(others.map(([name]) => name)).toEqual([]);
  });
});
