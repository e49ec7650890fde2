// Builds dist/: the lazily loaded CommonJS chunks, and the table of prepared texts for the launcher.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { licences } from './licences.mjs';

const root = new URL('..', import.meta.url);
const path = (name) => fileURLToPath(new URL(name, root));
const { version } = JSON.parse(readFileSync(path('package.json'), 'utf8'));

/** Parts of undici that are never reached: HTTP/2, which loads node:http2, and the form data of fetch, which brings all of fetch. */
const leaveOut = {
  name: 'leave-out',
  resolveId: {
    filter: { id: /(^|\/)(client-h2|web\/fetch\/body)\.js$/ },
    handler: (_, importer) => (importer?.includes('/undici/') ? path('src/http/left-out.ts') : null),
  },
};

/** NODE_DEBUG=undici would print the address of every request, and the trading gateway's hold its token. */
const keepQuiet = {
  name: 'keep-quiet',
  transform: {
    filter: { id: /\/undici\/lib\/core\/diagnostics\.js$/ },
    handler: (code) => {
      const quiet = code.replace(/util\.debuglog\('\w+'\)/g, '{ enabled: false }');
      if (quiet === code) throw new Error('undici logs in another way now: see that it tells no secret');
      return quiet;
    },
  },
};

/** `import text from './file?raw'`: the text of a file, as the tests' bundler knows it too. */
const rawText = {
  name: 'raw-text',
  resolveId: {
    filter: { id: /\?raw$/ },
    handler: (id, importer) => resolve(dirname(importer), id),
  },
  load: {
    filter: { id: /\?raw$/ },
    handler: (id) => ({
      code: `export default ${JSON.stringify(readFileSync(id.slice(0, -'?raw'.length), 'utf8'))}`,
      moduleType: 'js',
    }),
  },
};

/** Made beside the old one and moved into its place: a build that fails, or runs twice at once, leaves a whole one. */
const made = path(`dist.${process.pid}`);
process.on('exit', () => rmSync(made, { recursive: true, force: true }));
const bundle = await rolldown({
  input: { main: path('src/entry.ts'), complete: path('src/complete.ts'), pages: path('src/pages.ts') },
  platform: 'node',
  plugins: [leaveOut, keepQuiet, rawText],
  logLevel: 'warn',
  // A module that one command imports and another puts off is in the first one's chunk, which is as it should be.
  checks: { ineffectiveDynamicImport: false },
});
/** Small modules that are always wanted together: opening a file costs more than reading it. */
const together = {
  settings:
    /\/src\/(json-object|store\/(settings|settings-file|setting-keys|setting-values|json-fault|file-failure))\.ts$/,
  cells: /\/src\/output\/(cells|subject)\.ts$/,
  request: /\/src\/http\/(endpoint|target|address|request|answers)\.ts$/,
};

const { output } = await bundle.write({
  dir: made,
  format: 'cjs',
  // Code within an executable cannot import, and requires even what comes with Node.
  dynamicImportInCjs: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name]-[hash].cjs',
  codeSplitting: {
    groups: Object.entries(together).map(([name, test]) => ({ name, test })),
  },
  minify: { compress: true, mangle: false, codegen: true },
  comments: { legal: false },
});
await bundle.close();

const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
writeFileSync(`${made}/THIRD-PARTY-LICENSES.txt`, licences(modules));

const require = createRequire(import.meta.url);
const { preparedPages, preparedCompletion } = require(`${made}/pages.cjs`);
writeFileSync(`${made}/prepared.json`, JSON.stringify({ version: `${version}\n`, ...(await preparedPages()) }));
writeFileSync(`${made}/completion.json`, JSON.stringify(await preparedCompletion()));
const old = `${made}.old`;
if (existsSync(path('dist'))) renameSync(path('dist'), old);
renameSync(made, path('dist'));
rmSync(old, { recursive: true, force: true });
