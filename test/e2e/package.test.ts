/** What users install: the packed tarball, made from a fresh copy of the checkout, in a folder of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { otherNode } from '../support/peers.ts';
import { environment, HOME, ROOT, start, svc } from './binary.ts';
import { smoke } from './smoke.ts';
import { named } from './terminal.ts';

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

const checkout = join(HOME, 'checkout');
const folder = join(HOME, 'installed');
const PACKAGE = join(folder, 'node_modules/svc');
const NPM = ['--no-audit', '--no-fund', '--no-update-notifier', '--offline'];
let packed: Packed;
let warnings: string;

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, env: environment(), encoding: 'utf8', stdio: 'pipe' });
}

beforeAll(() => {
  // A copy, because packing builds, and other tests run what is built.
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const tracked = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const path of tracked.filter((name) => /^(?:src|bin|scripts|completions|(?!node_modules)[^/]+$)/.test(name))) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    cpSync(join(ROOT, path), join(checkout, path));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', HOME, ...NPM], checkout)) as [Packed];
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"name":"empty","private":true}');
  const install = ['install', join(HOME, packed.filename), ...NPM];
  const { status, stderr } = spawnSync('npm', install, { cwd: folder, env: environment(), encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  warnings = stderr;
}, 300_000);

describe('the tarball', () => {
  it('contains the program and its documents, but no sources', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !/^(?:bin|dist|completions|man)\//.test(path)).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(paths.filter((path) => /\.ts$|\.map$|test\/|src\/|pages\.cjs$/.test(path))).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(['bin/svc.cjs', 'dist/main.cjs', 'dist/THIRD-PARTY-LICENSES.txt']));
  });

  it('contains the manual, even from a checkout without one', () => {
    const manual = packed.files.map(({ path }) => path).filter((path) => path.startsWith('man/'));
    const { man } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
    expect(manual.sort()).toEqual([...man].sort());
    for (const path of manual) expect(readFileSync(join(PACKAGE, path), 'utf8')).toMatch(/^\.TH "SVC/);
  });

  it('needs at most 4 MB unpacked, and 5 MB on a disk with blocks of 4 KiB', () => {
    const sizes = packed.files.map(({ path }) => statSync(join(PACKAGE, path)).size);
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
    expect(sum(sizes)).toBeLessThan(4_000_000);
    expect(4096 * sum(sizes.map((size) => Math.ceil(size / 4096)))).toBeLessThan(5_000_000);
  });

  it('contains no path of the build machine', () => {
    for (const { path } of packed.files) {
      const text = readFileSync(join(PACKAGE, path), 'utf8');
      expect([path, text.includes(checkout) || text.includes(ROOT)]).toEqual([path, false]);
    }
  });
});

describe('installed in an empty folder', () => {
  it('has no dependencies and no install scripts', () => {
    const { dependencies, optionalDependencies, peerDependencies, scripts } = JSON.parse(
      readFileSync(join(PACKAGE, 'package.json'), 'utf8'),
    );
    expect({ dependencies, optionalDependencies, peerDependencies }).toEqual({});
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|prepare/.test(name))).toEqual([]);
    expect(warnings).toBe('');
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['svc']);
    expect(readdirSync(PACKAGE)).not.toContain('node_modules');
  });

  it('works under the name that npm installed', async () => {
    const { code, stdout, stderr } = await start(join(folder, 'node_modules/.bin/svc'), ['help'], { cwd: folder })
      .ended;
    expect([code, stdout, stderr]).toEqual([0, (await svc(['help'])).stdout, '']);
  });

  const { version, unpack } = otherNode();
  it.skipIf(unpack === undefined)(named(`works with Node.js ${version}`, unpack === undefined), async () => {
    await smoke([unpack?.(join(HOME, 'node')) ?? '', join(PACKAGE, 'bin/svc.cjs')]);
  });
});
