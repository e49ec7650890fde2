// Builds dist/: the lazily loaded CommonJS chunks, and the table of prepared texts for the launcher.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = new URL('..', import.meta.url);
const path = (name) => fileURLToPath(new URL(name, root));
const { version } = JSON.parse(readFileSync(path('package.json'), 'utf8'));

/** Made beside the old one and moved into its place: a build that fails, or runs twice at once, leaves a whole one. */
const made = path(`dist.${process.pid}`);
const bundle = await rolldown({
  input: { main: path('src/entry.ts'), pages: path('src/pages.ts') },
  platform: 'node',
  logLevel: 'warn',
});
await bundle.write({
  dir: made,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name]-[hash].cjs',
  minify: { compress: true, mangle: false, codegen: true },
  comments: { legal: false },
});
await bundle.close();

const require = createRequire(import.meta.url);
const { preparedPages } = require(`${made}/pages.cjs`);
writeFileSync(`${made}/prepared.json`, JSON.stringify({ version: `${version}\n`, ...(await preparedPages()) }));
rmSync(path('dist'), { recursive: true, force: true });
renameSync(made, path('dist'));
