// npm run shape: prints the size of the source, its imports, how many files a command loads, and what it enters.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { root, setup } from './setup.mjs';

const SRC = join(root, 'src');
const IMPORTS = {
  ImportDeclaration: ({ importKind }) => (importKind === 'type' ? 'type' : 'static'),
  ExportNamedDeclaration: ({ exportKind }) => (exportKind === 'type' ? 'type' : 'static'),
  ExportAllDeclaration: () => 'static',
  ImportExpression: () => 'dynamic',
  TSImportType: () => 'type',
};

/** Counts the imports within src, by kind. */
function edges(files) {
  const counts = { static: 0, type: 0, dynamic: 0 };
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (typeof node.source?.value === 'string' && node.source.value.startsWith('.') && node.type in IMPORTS) {
      counts[IMPORTS[node.type](node)]++;
    }
    for (const child of Object.values(node)) visit(child);
  };
  for (const file of files) visit(parseAst(readFileSync(join(SRC, file), 'utf8'), { lang: 'ts' }));
  return counts;
}

/** Compiles each source file to a CommonJS file of its own, so that the files which a command loads can be counted. */
async function unbundled(folder) {
  const bundle = await rolldown({
    input: { main: join(SRC, 'entry.ts') },
    platform: 'node',
    external: (id) => id.endsWith('?raw') || !(id.startsWith('.') || isAbsolute(id)),
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({
    dir: join(folder, 'dist'),
    format: 'cjs',
    dynamicImportInCjs: false,
    preserveModules: true,
    preserveModulesRoot: SRC,
    entryFileNames: '[name].cjs',
  });
  await bundle.close();
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  for (const table of ['prepared.json', 'completion.json'])
    cpSync(join(root, 'dist', table), join(folder, 'dist', table));
}

const SECRET = ['--secret-file', 'secret'];

/** Command lines that exit 0 in the sandbox. `meanwhile` gets the first line that the command prints. */
const COMMANDS = [
  { name: 'alerts list', args: ['alerts', 'list'] },
  { name: 'webhooks verify', args: ['webhooks', 'verify', 'signed.http', ...SECRET] },
  {
    name: 'webhooks listen',
    args: ['webhooks', 'listen', '--port', '0', '--count', '1', '-o', 'ndjson', ...SECRET],
    meanwhile: (line, cwd) => svc(['webhooks', 'send', '--to', JSON.parse(line).url, ...SECRET], { cwd }),
  },
  { name: 'trade buy', args: ['trade', 'buy', 'EUR/USD', '10', '--account', '654061', '--yes'] },
];

const LAUNCHER = join(root, 'bin/svc.cjs');

function svc(args, options = {}) {
  return execFileSync(process.execPath, [LAUNCHER, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    ...options,
  });
}

/** Runs inside a command: writes down the files that it has loaded, and the functions that it has entered. */
const HOOK = `
const { Session } = require('node:inspector');
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('exit', () => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const isEntered = ({ functionName, ranges }) => ranges[0].count > 0 && functionName !== '<instance_members_initializer>';
    const entered = result.map(({ url, functions }) => [url, functions.filter(isEntered).length]);
    const loaded = Object.keys(require.cache);
    require('node:fs').writeFileSync(FILE, JSON.stringify({ loaded, entered }));
  });
});`;

/** By command: the files of src that it loads, without package.json, and the functions that it enters besides the bodies of modules. */
async function measuredCommands(folder) {
  const list = join(folder, 'measured.json');
  const hook = join(folder, 'hook.cjs');
  writeFileSync(hook, HOOK.replace('FILE', JSON.stringify(list)));
  writeFileSync(join(folder, 'secret'), 'of-this-script-alone');
  const signed = ['webhooks', 'sign', '--as', 'http', '--to', 'http://localhost/', ...SECRET];
  writeFileSync(join(folder, 'signed.http'), svc(signed, { input: '{}', cwd: folder }));
  const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const counts = [];
  for (const { name, args, meanwhile } of COMMANDS) {
    const measured = [process.execPath, '--require', hook, join(folder, 'bin/svc.cjs'), ...args];
    const child = spawn(process.execPath, [LAUNCHER, 'sandbox', 'run', '--', ...measured], { cwd: folder, env });
    let printed = '';
    child.stderr.on('data', (text) => (printed += text));
    child.stdout.once('data', (text) => meanwhile?.(String(text).split('\n')[0], folder));
    child.stdout.resume();
    const [status] = await once(child, 'close');
    if (status !== 0) throw new Error(`svc ${name} ended with ${status}:\n${printed}`);
    const { loaded, entered } = JSON.parse(readFileSync(list, 'utf8'));
    const dist = join(folder, 'dist') + sep;
    const isSource = (file) =>
      file.startsWith(dist) && !/^(_virtual|package\.)/.test(file.slice(dist.length)) && file.endsWith('.cjs');
    // The first function of a file is its body.
    const functions = entered.flatMap(([url, count]) =>
      url.startsWith('file:') && isSource(fileURLToPath(url)) && count > 1 ? [count - 1] : [],
    );
    counts.push({
      name,
      loaded: loaded.filter(isSource).length,
      entered: `${functions.reduce((sum, count) => sum + count, 0)} in ${functions.length} files`,
    });
  }
  return counts;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const lengths = files.map((file) => readFileSync(join(SRC, file), 'utf8').split('\n').length - 1).sort((a, b) => a - b);
const share = (part) => lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * part))];
const { static: values, type, dynamic } = edges(files);

setup();
const folder = join(root, '.cache', `shape.${process.pid}`);
mkdirSync(folder, { recursive: true });
try {
  await unbundled(folder);
  const rows = [
    ['files', files.length],
    ['lines', lengths.reduce((sum, count) => sum + count, 0)],
    ['lines of a file: median', share(0.5)],
    ['lines of a file: 90th percentile', share(0.9)],
    ['lines of a file: most', lengths.at(-1)],
    ['files under 20 lines', lengths.filter((count) => count < 20).length],
    ['import edges', `${values + type + dynamic} (${values} static, ${type} of types, ${dynamic} dynamic)`],
    ...(await measuredCommands(folder)).flatMap(({ name, loaded, entered }) => [
      [`files loaded by svc ${name}`, loaded],
      ['functions entered by it', entered],
    ]),
  ];
  for (const [label, value] of rows) console.log(`${label.padEnd(36)} ${value}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
