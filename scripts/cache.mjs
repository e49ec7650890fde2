/** Where the peers of the tests are: `.cache/peers` of the checkout, which its linked worktrees share. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

export const CACHE = join(mainCheckout(), '.cache/peers');

/** In a linked worktree, `.git` is a file that names the repository. */
function mainCheckout() {
  const git = `${root}.git`;
  if (statSync(git, { throwIfNoEntry: false })?.isFile() !== true) return root;
  return /^gitdir: (.*)\/\.git\/worktrees\/[^/\n]+\n/.exec(readFileSync(git, 'utf8'))?.[1] ?? root;
}
