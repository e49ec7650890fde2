/** Builds packages for Debian, Fedora and their derivatives from the archive of an executable. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** The oldest glibc that bun's executables run with. */
const OLDEST_LIBC = '2.17';

/** By format: its names of the processors, and the paths that differ. */
const FORMATS = {
  deb: {
    program: 'dpkg-deb',
    processors: { x64: 'amd64', arm64: 'arm64' },
    zsh: 'usr/share/zsh/vendor-completions/_svc',
    license: 'usr/share/doc/svc/copyright',
    pack: packDebian,
  },
  rpm: {
    program: 'rpmbuild',
    processors: { x64: 'x86_64', arm64: 'aarch64' },
    zsh: 'usr/share/zsh/site-functions/_svc',
    license: 'usr/share/licenses/svc/LICENSE',
    pack: packRpm,
  },
};

/** Returns the missing programs, whose packages are left out. All files in a package get `time`, in seconds since 1970. */
export function linuxPackages(release) {
  const isMissing = ({ program }) => spawnSync(program, ['--version']).error !== undefined;
  const formats = Object.values(FORMATS);
  for (const format of formats.filter((one) => !isMissing(one))) {
    for (const processor of Object.keys(format.processors)) {
      const tree = join(release.work, 'tree');
      unpack(`svc-${release.version}-linux-${processor}`, tree, format, release);
      for (const path of filesOf(tree)) utimesSync(path, Number(release.time), Number(release.time));
      format.pack(tree, format.processors[processor], release);
      rmSync(tree, { recursive: true, force: true });
    }
  }
  return formats.filter(isMissing).map(({ program }) => program);
}

/** Copies the files of an archive to their places in the system. */
function unpack(archive, tree, { zsh, license }, { out, work }) {
  execFileSync('tar', ['-xzf', join(out, `${archive}.tar.gz`), '-C', work]);
  const unpacked = join(work, archive);
  const copy = (from, to, { mode = 0o644, by = (bytes) => bytes } = {}) => {
    mkdirSync(join(tree, to, '..'), { recursive: true });
    writeFileSync(join(tree, to), by(readFileSync(join(unpacked, from))), { mode });
  };
  const by = (bytes) => gzipSync(bytes, { level: 9 });
  copy('svc', 'usr/bin/svc', { mode: 0o755 });
  for (const page of readdirSync(join(unpacked, 'man'))) copy(`man/${page}`, `usr/share/man/man1/${page}.gz`, { by });
  copy('completions/svc.bash', 'usr/share/bash-completion/completions/svc');
  copy('completions/_svc', zsh);
  copy('completions/svc.fish', 'usr/share/fish/vendor_completions.d/svc.fish');
  copy('LICENSE', license);
  for (const file of ['README.md', 'THIRD-PARTY-LICENSES.txt']) copy(file, `usr/share/doc/svc/${file}`);
  copy('CHANGELOG.md', 'usr/share/doc/svc/changelog.gz', { by });
  rmSync(unpacked, { recursive: true });
}

function packDebian(tree, processor, { version, source, address, time, out }) {
  const control = {
    Package: 'svc',
    Version: version,
    Architecture: processor,
    Maintainer: `the developers of svc <${address}>`,
    'Installed-Size': filesOf(tree).reduce((sum, path) => sum + Math.ceil(statSync(path).size / 1024), 0),
    Depends: `libc6 (>= ${OLDEST_LIBC})`,
    // It has a /usr/bin/svc, too.
    Conflicts: 'daemontools',
    Section: 'utils',
    Priority: 'optional',
    Homepage: address,
    Description: source.description,
  };
  const lines = Object.entries(control).map(([key, value]) => `${key}: ${value}\n`);
  mkdirSync(join(tree, 'DEBIAN'));
  writeFileSync(join(tree, 'DEBIAN/control'), lines.join(''));
  utimesSync(join(tree, 'DEBIAN/control'), Number(time), Number(time));
  const file = join(out, `svc_${version}_${processor}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '--build', tree, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: time },
  });
}

function packRpm(tree, processor, { version, source, address, time, out, work }) {
  const spec = join(work, 'svc.spec');
  const files = filesOf(tree).map((path) => path.slice(tree.length));
  const kindOf = (path) =>
    /^\/usr\/share\/licenses\//.test(path) ? '%license ' : path.includes('/doc/') ? '%doc ' : '';
  writeFileSync(
    spec,
    `Name: svc
Version: ${version}
Release: 1
Summary: ${source.description}
License: ${source.license}
URL: ${address}
AutoReqProv: no
Requires: glibc >= ${OLDEST_LIBC}
%description
${source.description}
%install
cp -a ${tree}/. %{buildroot}/
%files
${files.map((path) => `${kindOf(path)}${path}\n`).join('')}`,
  );
  const settings = {
    _topdir: join(work, 'rpm'),
    _rpmdir: out,
    _build_name_fmt: '%%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm',
    _buildhost: 'localhost',
    _build_id_links: 'none',
    _binary_payload: 'w3.zstdio',
    // Otherwise rpmbuild strips the executable, and with it the bundled program.
    __os_install_post: '%{nil}',
    use_source_date_epoch_as_buildtime: '1',
  };
  const defines = Object.entries(settings).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  execFileSync('rpmbuild', ['-bb', '--quiet', '--target', `${processor}-linux`, ...defines, spec], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: time },
  });
}

function filesOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
