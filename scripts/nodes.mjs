/** Node.js in exact versions, from the package registry, for the tests. A version is stored packed, and unpacked for as long as it is needed. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPackage, PLATFORM, packedFolder } from './packed.mjs';

/** The oldest version that package.json allows, and one of each later line with long-term support. */
export const NODES = ['20.19.0', '22.23.3', '24.21.0', '26.10.0'];

/** The one that `npm test` also starts the package with. */
export const OTHER_NODE = '24.21.0';

export const nodePackage = (version) => packedFolder(`node-${version}.tgz`);

/** Returns how many bytes had to be fetched. */
export function fetchNode(version) {
  return fetchPackage(`node-${version}.tgz`, `node-${PLATFORM}`, version);
}

/** Unpacks a fetched version. Returns the path of the program. */
export function unpackNode(version, folder) {
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', nodePackage(version), '-C', folder, '--strip-components=1', 'package/bin']);
  return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}
