/** A package for Debian and its relatives, from the archive of an executable. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
/** The oldest C library that bun's executables run with. */
const DEPENDS = 'libc6 (>= 2.17)';

/** Returns the name of the file, or undefined where there is no dpkg-deb. `time`, in seconds since 1970, is that of all files in it. */
export function debianPackage({ processor, version, source, address, time, out, work }) {
  if (spawnSync('dpkg-deb', ['--version']).status !== 0) return undefined;
  const name = `svc-${version}-linux-${processor}`;
  execFileSync('tar', ['-xzf', join(out, `${name}.tar.gz`), '-C', work]);
  const unpacked = join(work, name);
  const tree = join(work, `debian-${processor}`);
  const put = (path, bytes, mode = 0o644) => {
    mkdirSync(join(tree, path, '..'), { recursive: true });
    writeFileSync(join(tree, path), bytes, { mode });
  };
  const copy = (from, to, mode) => put(to, readFileSync(join(unpacked, from)), mode);
  const compressed = (from, to) => put(to, gzipSync(readFileSync(join(unpacked, from)), { level: 9 }));

  copy('svc', 'usr/bin/svc', 0o755);
  for (const page of readdirSync(join(unpacked, 'man'))) compressed(`man/${page}`, `usr/share/man/man1/${page}.gz`);
  copy('completions/svc.bash', 'usr/share/bash-completion/completions/svc');
  copy('completions/_svc', 'usr/share/zsh/vendor-completions/_svc');
  copy('completions/svc.fish', 'usr/share/fish/vendor_completions.d/svc.fish');
  copy('LICENSE', 'usr/share/doc/svc/copyright');
  for (const file of ['README.md', 'THIRD-PARTY-LICENSES.txt']) copy(file, `usr/share/doc/svc/${file}`);
  compressed('CHANGELOG.md', 'usr/share/doc/svc/changelog.gz');
  const kilobytes = filesOf(tree).reduce((sum, path) => sum + Math.ceil(statSync(path).size / 1024), 0);
  const control = {
    Package: 'svc',
    Version: version,
    Architecture: ARCHITECTURES[processor],
    Maintainer: `the developers of svc <${address}>`,
    'Installed-Size': kilobytes,
    Depends: DEPENDS,
    Section: 'utils',
    Priority: 'optional',
    Homepage: address,
    Description: source.description,
  };
  put(
    'DEBIAN/control',
    Object.entries(control)
      .map(([key, value]) => `${key}: ${value}\n`)
      .join(''),
  );
  for (const path of filesOf(tree)) utimesSync(path, Number(time), Number(time));
  const file = `svc_${version}_${control.Architecture}.deb`;
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '--build', tree, join(out, file)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: time },
  });
  for (const folder of [unpacked, tree]) rmSync(folder, { recursive: true });
  return file;
}

function filesOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
