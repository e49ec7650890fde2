/**
 * Runs the Linux executables that this machine cannot run directly: those for arm64 under qemu, those for musl with Debian's musl.
 * They run in namespaces: this needs no root, and nothing outside changes.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packedFolder } from './packed.mjs';
import { root } from './setup.mjs';

/** The start of such a file and a mask for it, in the notation of the kernel's binfmt_misc. */
const ELF_ARM64 = [
  '\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00',
  '\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff',
].join(':');

/** By target: Debian's packages, how to unpack them, and the command that makes its executables run in a namespace (`$0` is the folder). */
const ALL = {
  'linux-arm64': {
    packages: ['qemu-user-static', 'libc6-arm64-cross'],
    isEmulated: true,
    finish: withQemu,
    mount: `mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
      printf %s ":arm64:M::${ELF_ARM64}:$0/run:P" >/proc/sys/fs/binfmt_misc/register`,
  },
  'linux-x64-musl': {
    packages: ['musl', 'libstdc++6', 'libgcc-s1'],
    finish: withMusl,
    mount: 'mount -t overlay overlay -o "lowerdir=$0/lib:/usr/lib" /usr/lib',
  },
};

export const FOREIGN = process.platform === 'linux' && process.arch === 'x64' ? ALL : {};

/** The files that `peers.mjs --<target>` has fetched. */
export function foreignFolder(target) {
  return packedFolder(target);
}

export function isFetched(target) {
  return existsSync(join(foreignFolder(target), 'peer.json'));
}

/** Wraps a command line (program first) so that executables of the target run in it. */
export function within(target, line) {
  const user = `--map-user=${process.getuid()} --map-group=${process.getgid()}`;
  const script = `${FOREIGN[target].mount} && exec unshare --user ${user} -- "$@"`;
  return ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, foreignFolder(target), ...line];
}

/** Keeps only qemu-aarch64-static. */
function withQemu(folder) {
  renameSync(join(folder, 'usr/bin/qemu-aarch64-static'), join(folder, 'qemu'));
  renameSync(join(folder, 'usr/aarch64-linux-gnu'), join(folder, 'system'));
  for (const rest of ['usr', 'etc']) rmSync(join(folder, rest), { recursive: true, force: true });
  const script = `#!/bin/sh
here=\${0%/*} file=$1 name=$2
shift 2
exec "$here/qemu" -L "$here/system" -0 "$name" "$file" "$@"
`;
  writeFileSync(join(folder, 'run'), script, { mode: 0o755 });
}

/** Debian's libstdc++ is built for glibc. musl.c, under the name of glibc's loader, adds what it needs and musl lacks. */
function withMusl(folder) {
  const lib = join(folder, 'musl');
  mkdirSync(lib);
  const copy = (from, to) => cpSync(join(folder, from), join(lib, to), { dereference: true });
  copy('lib/x86_64-linux-musl/libc.so', 'ld-musl-x86_64.so.1');
  copy('usr/lib/x86_64-linux-gnu/libstdc++.so.6', 'libstdc++.so.6');
  copy('lib/x86_64-linux-gnu/libgcc_s.so.1', 'libgcc_s.so.1');
  const flags = ['-O1', '-Wall', '-Werror', '-shared', '-fPIC', '-nostdlib', '-fno-builtin'];
  execFileSync('cc', [...flags, '-o', join(lib, 'ld-linux-x86-64.so.2'), `${root}scripts/musl.c`], { stdio: 'pipe' });
  for (const rest of ['usr', 'etc', 'lib']) rmSync(join(folder, rest), { recursive: true, force: true });
  renameSync(lib, join(folder, 'lib'));
}
