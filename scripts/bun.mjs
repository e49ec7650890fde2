/** bun in an exact version, from npm's registry: it compiles the executables, and is what runs in them. */
import { join } from 'node:path';
import { fetchPacked, packedFolder } from './packed.mjs';

export const BUN = '1.4.5';

/** This machine, as bun's packages name it. Those for x64 that are called baseline run on processors without AVX2, too. */
export const HERE = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x64-baseline'}`;

/** Returns whether it had to be fetched. */
export function fetchBun(platform = HERE) {
  return fetchPacked(`bun-${BUN}-${platform}`, `@oven/bun-${platform}`, BUN, ['bin']);
}

/** Where it is, once it was fetched. */
export function bunProgram(platform = HERE) {
  return join(packedFolder(`bun-${BUN}-${platform}`), 'bin', platform.startsWith('windows') ? 'bun.exe' : 'bun');
}
