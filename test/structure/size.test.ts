/** How much there is to read: of all of src/, and on the way of one command. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILES } from './source.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SRC = join(ROOT, 'src');
const LAUNCHER = join(ROOT, 'bin/svc.cjs');
const LONGEST_FILE = 500;
const LONG_LINE = 100;

/** Add something, and remove something else: lower these with the source, and raise none. */
const MOST_LINES = 54_000;
const MOST_FILES = 394;
const MOST_SANDBOX_LINES = 5_000;
const MOST_LONG_LINES = 0.06;

const SECRET = ['--secret-file', 'secret'];
const LISTEN = ['webhooks', 'listen', '--port', '0', '--count', '1', '-o', 'ndjson', ...SECRET];
const BUY = ['trade', 'buy', 'EUR/USD', '10', '--account', '654061', '--yes'];
/** Command lines that exit 0 in the sandbox, and how many functions, in how many files, they may enter. */
const COMMANDS: readonly (readonly [functions: number, files: number, args: readonly string[]])[] = [
  [270, 44, ['alerts', 'list']],
  [170, 36, ['webhooks', 'verify', 'signed.http', ...SECRET]],
  [258, 41, LISTEN],
  [440, 60, BUY],
  [350, 56, ['oauth', 'login']],
];

describe('the source', () => {
  const lines = new Map(FILES.map((file) => [file, readFileSync(join(SRC, file), 'utf8').split('\n').slice(0, -1)]));
  const all = [...lines.values()].flat();

  it('has no more files and lines', () => {
    expect(lines.size).toBeLessThanOrEqual(MOST_FILES);
    expect(all.length).toBeLessThanOrEqual(MOST_LINES);
    const sandbox = [...lines].filter(([file]) => file.startsWith('sandbox/')).flatMap(([, text]) => text);
    expect(sandbox.length).toBeLessThanOrEqual(MOST_SANDBOX_LINES);
  });

  it(`has no file above ${LONGEST_FILE} lines`, () => {
    expect([...lines].filter(([, { length }]) => length > LONGEST_FILE).map(([file]) => file)).toEqual([]);
  });

  it(`has few lines above ${LONG_LINE} columns`, () => {
    expect(all.filter(({ length }) => length > LONG_LINE).length / all.length).toBeLessThanOrEqual(MOST_LONG_LINES);
  });

  it('suppresses no rule of the linter', () => {
    const suppressed = [...lines].filter(([, text]) => text.some((line) => line.includes('biome-ignore')));
    expect(suppressed.map(([file]) => file)).toEqual([]);
  });
});

/** In the process of a command: writes down how many functions of each file it enters. The first function of a file is its body. */
const HOOK = `
const { Session } = require('node:inspector');
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('exit', () => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const isEntered = ({ functionName, ranges }) => ranges[0].count > 0 && functionName !== '<instance_members_initializer>';
    const entered = result.map(({ url, functions }) => [url, functions.filter(isEntered).length - 1]);
    require('node:fs').writeFileSync(FILE, JSON.stringify(entered));
  });
});`;

/** Follows redirects. */
const BROWSER = `
const visit = (url) =>
  require('node:http').get(url, (response) => {
    response.resume();
    if (response.headers.location !== undefined) visit(new URL(response.headers.location, url));
  });
visit(process.argv[2]);`;

describe('the functions that a command enters', () => {
  const cache = join(ROOT, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'size-'));
  const measured = join(folder, 'entered.json');

  beforeAll(async () => {
    await writeUnbundled(folder);
    writeFileSync(join(folder, 'hook.cjs'), HOOK.replace('FILE', JSON.stringify(measured)));
    writeFileSync(join(folder, 'secret'), 'of-this-test-alone', { mode: 0o600 });
    writeFileSync(join(folder, 'browser.cjs'), `#!${process.execPath}\n${BROWSER}`, { mode: 0o700 });
    const signed = ['webhooks', 'sign', '--as', 'http', '--to', 'http://localhost/', ...SECRET];
    writeFileSync(
      join(folder, 'signed.http'),
      execFileSync(process.execPath, [LAUNCHER, ...signed], {
        input: '{}',
        cwd: folder,
        stdio: ['pipe', 'pipe', 'ignore'],
      }),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(COMMANDS)('are at most %d in %d files: %j', async (functions, files, args) => {
    const node = [process.execPath, '--require', join(folder, 'hook.cjs')];
    // Who signs in has no token yet.
    const unset = ['-u', 'SVC_WEBHOOKS_TOKEN', '-u', 'NODE_EXTRA_CA_CERTS'];
    const command = ['env', ...unset, ...node, join(folder, 'bin/svc.cjs'), ...args];
    const env = {
      ...process.env,
      XDG_CONFIG_HOME: folder,
      XDG_STATE_HOME: folder,
      BROWSER: join(folder, 'browser.cjs'),
    };
    const child = spawn(process.execPath, [LAUNCHER, 'sandbox', 'run', '--', ...command], { cwd: folder, env });
    if (args === LISTEN) child.stdout.once('data', (line: Buffer) => deliver(String(line), folder));
    child.stdout.resume();
    child.stderr.resume();
    expect(await once(child, 'close')).toEqual([0, null]);
    const entered = (JSON.parse(readFileSync(measured, 'utf8')) as [string, number][]).filter(
      ([url, count]) => count > 0 && isSource(url, folder),
    );
    expect(entered.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(functions);
    expect(entered.length).toBeLessThanOrEqual(files);
  });
});

function deliver(line: string, cwd: string): void {
  const { url } = JSON.parse(line.split('\n')[0] ?? '') as { readonly url: string };
  execFileSync(process.execPath, [LAUNCHER, 'webhooks', 'send', '--to', url, ...SECRET], { cwd, stdio: 'ignore' });
}

function isSource(url: string, folder: string): boolean {
  const dist = join(folder, 'dist') + sep;
  const path = url.startsWith('file:') ? fileURLToPath(url) : '';
  return path.startsWith(dist) && !/^(_virtual|package\.)/.test(path.slice(dist.length));
}

/** Compiles each source file to a file of its own. */
async function writeUnbundled(folder: string): Promise<void> {
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
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  for (const table of ['prepared.json', 'completion.json'])
    cpSync(join(ROOT, 'dist', table), join(folder, 'dist', table));
}
