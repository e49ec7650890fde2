// Builds dist/: the lazily loaded CommonJS chunks, and the table of prepared texts for the launcher.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { billOfMaterials, licenses } from './licenses.mjs';

const root = new URL('..', import.meta.url);
const path = (name) => fileURLToPath(new URL(name, root));
const self = JSON.parse(readFileSync(path('package.json'), 'utf8'));

/** `import text from './file?raw'`: the text of a file. Vitest's bundler supports the same. */
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

/**
 * Parts of Node.js that a package loads at the start, each with everything that the package reads from it. Loading them takes 9 ms. For the
 * message of a failed assertion, Node.js parses the line it is in, which is the whole bundle: seconds, for one odd response of a service.
 */
const REPLACED = {
  'node:assert': {
    by: '/undici/',
    code: `module.exports = (holds, message = 'an assertion of the HTTP client failed') => {
      if (!holds) throw Object.assign(new Error(message), { code: 'ERR_ASSERTION' });
    };`,
  },
  'node:http': { by: '/undici/', code: 'export const maxHeaderSize = 16_384; export class IncomingMessage {}' },
  'node:child_process': { by: '/commander/', code: 'export default {}' },
};
const replacedBuiltins = {
  name: 'replaced-builtins',
  resolveId: {
    filter: { id: /^node:(?:assert|http|child_process)$/ },
    handler: (id, importer) => (importer?.includes(REPLACED[id].by) ? `\0${id}` : undefined),
  },
  load: {
    filter: { id: /^\0node:/ },
    handler: (id) => REPLACED[id.slice(1)].code,
  },
};

/** Built beside the old folder and then renamed: a build that fails or runs twice at once leaves a complete dist/. */
const made = path(`dist.${process.pid}`);
process.on('exit', () => rmSync(made, { recursive: true, force: true }));
const bundle = await rolldown({
  input: {
    main: path('src/entry.ts'),
    complete: path('src/complete.ts'),
    pages: path('scripts/reference/prepared.ts'),
  },
  platform: 'node',
  // Without it, a chunk contains everything that it imports.
  preserveEntrySignatures: 'allow-extension',
  plugins: [rawText, replacedBuiltins],
  // Unused parts of undici that cost time at every start: the HTTP/2 client and form bodies.
  resolve: { alias: { './client-h2.js': false, '../web/fetch/body.js': false } },
  logLevel: 'warn',
  // It is intended that a module which one command imports statically and another dynamically is in the first one's chunk.
  checks: { ineffectiveDynamicImport: false },
});
const { output } = await bundle.write({
  dir: made,
  format: 'cjs',
  // Code in an executable cannot use import(), not even for Node's own modules.
  dynamicImportInCjs: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name]-[hash].cjs',
  // Node.js 20 needs a third of a millisecond for each file that it loads, so what is loaded together is one file. A group includes what
  // its modules import, unless a group of a higher priority does. The price: a command may load parts that it does not use.
  codeSplitting: {
    groups: [
      { name: 'start', test: /\/src\/complete\.ts$/, priority: 9 },
      { name: 'run', test: /\/src\/(?:entry|cli\/run)\.ts$/, priority: 8 },
      { name: 'zod', test: /\/node_modules\/zod\/|\/src\/http\/fields\.ts$/, priority: 7 },
      { name: 'http', test: /\/src\/(?:http\/(?:client|sender)|cli\/bulk)\.ts$/, priority: 6 },
      { name: 'lock', test: /\/src\/store\/lock\.ts$/, priority: 5 },
      { name: 'schemas', test: /\/src\/store\/schemas\.ts$/, priority: 5 },
      { name: 'logins', test: /\/features\/oauth\/(?:login-store|token-manager)\.ts$/, priority: 4 },
      {
        name: 'trading',
        test: /\/features\/trade\/(?:accounts|symbols|order-text|tables\/(?:table-time|live-table)|gateway\/(?:push|trading-session))\.ts$/,
        priority: 4,
      },
      { name: 'orders', test: /\/features\/trade\/orders\//, priority: 3 },
      { name: 'alerts', test: /\/features\/alerts\/(?:api|columns|known-names|matching|selection)\.ts$/, priority: 2 },
      { name: 'verify', test: /\/webhooks\/commands\/verify\.ts$/ },
    ],
  },
  minify: { compress: true, mangle: true, codegen: true },
  comments: { legal: false },
});
await bundle.close();

// Ids that begin with NUL belong to the bundler.
const modules = output.flatMap(({ moduleIds = [] }) => moduleIds.filter((id) => !id.startsWith('\0')));
writeFileSync(`${made}/THIRD-PARTY-LICENSES.txt`, licenses(modules));
writeFileSync(`${made}/sbom.cdx.json`, `${JSON.stringify(billOfMaterials(modules, self), null, 2)}\n`);

const require = createRequire(import.meta.url);
const { preparedPages, preparedCompletion } = require(`${made}/pages.cjs`);
writeFileSync(`${made}/prepared.json`, JSON.stringify({ version: `${self.version}\n`, ...(await preparedPages()) }));
writeFileSync(`${made}/completion.json`, JSON.stringify(await preparedCompletion()));
const old = `${made}.old`;
if (existsSync(path('dist'))) renameSync(path('dist'), old);
renameSync(made, path('dist'));
rmSync(old, { recursive: true, force: true });
