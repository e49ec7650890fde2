/** Node.js in exact versions, from the package registry, for the tests. */
import { join } from 'node:path';
import { fetchPacked, PLATFORM, packedFolder } from './packed.mjs';

/** The oldest version that package.json allows, and one of each later line with long-term support. */
export const NODES = ['20.19.0', '22.23.3', '24.21.0', '26.10.0'];

/** The path of a fetched version. */
export function nodeProgram(version) {
  return join(packedFolder(`node-${version}`), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** Returns whether it had to be fetched. */
export function fetchNode(version) {
  return fetchPacked(`node-${version}`, `node-${PLATFORM}`, version, ['bin', 'LICENSE']);
}
