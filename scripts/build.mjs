// Builds dist/: the lazily loaded CommonJS chunks, and the table of prepared texts for the launcher.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = new URL('..', import.meta.url);
const path = (name) => fileURLToPath(new URL(name, root));
const { version } = JSON.parse(readFileSync(path('package.json'), 'utf8'));

rmSync(path('dist'), { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: path('src/entry.ts'), pages: path('src/pages.ts') },
  platform: 'node',
  logLevel: 'warn',
});
await bundle.write({
  dir: path('dist'),
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name]-[hash].cjs',
  minify: { compress: true, mangle: false, codegen: true },
  comments: { legal: false },
});
await bundle.close();

const require = createRequire(import.meta.url);
const { preparedPages } = require(path('dist/pages.cjs'));
writeFileSync(path('dist/prepared.json'), JSON.stringify({ version: `${version}\n`, ...(await preparedPages()) }));
