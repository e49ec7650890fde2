/** bun in an exact version, from npm's registry. It compiles the executables and is their runtime. */
import { join } from 'node:path';
import { fetchPacked, packedFolder } from './packed.mjs';

export const BUN = '1.4.5';

/** This machine, as bun's packages name it. The baseline packages for x64 also run on processors without AVX2. */
export const HERE = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x64-baseline'}`;

/** Returns whether it had to be fetched. */
export function fetchBun(platform = HERE) {
  return fetchPacked(`bun-${BUN}-${platform}`, `@oven/bun-${platform}`, BUN, ['bin']);
}

/** The path of the fetched program. */
export function bunProgram(platform = HERE) {
  return join(packedFolder(`bun-${BUN}-${platform}`), 'bin', platform.startsWith('windows') ? 'bun.exe' : 'bun');
}
