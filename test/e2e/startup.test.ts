import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import { PING, SECRET, SIGNATURE, T } from '../features/webhooks/vectors.ts';
import { HOME, LAUNCHER, ROOT, start } from './binary.ts';

/** A text that occurs only in the code of one package. */
const PACKAGES = {
  commander: 'error: too many arguments',
  zod: '$ZodType',
  undici: 'invalid connections',
  chalk: 'ansi256',
  'cli-table3': 'colSpan',
  conf: 'Please specify the `projectName` option',
  yaml: 'tag:yaml.org,2002:binary',
  jmespath: 'not_null',
  '@inquirer/prompts': 'User force closed the prompt',
} as const;
type Package = keyof typeof PACKAGES;

const BODY = join(HOME, 'ping.json');
writeFileSync(BODY, PING);
const HOOK = join(HOME, 'loaded.cjs');
const LIST = join(HOME, 'loaded.json');
writeFileSync(
  HOOK,
  `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(LIST)}, JSON.stringify(Object.keys(require.cache))));`,
);

/** The files of this package that a command line loads. */
async function loaded(argv: readonly string[], env: Record<string, string> = {}): Promise<readonly string[]> {
  const run = await start(process.execPath, ['--require', HOOK, LAUNCHER, ...argv], { env }).ended;
  expect([run.code, run.stderr.replace(/^Undo: .*\n/, '')]).toEqual([0, '']);
  const files = JSON.parse(readFileSync(LIST, 'utf8')) as string[];
  return files.filter((file) => file !== HOOK);
}

function packagesIn(files: readonly string[]): readonly Package[] {
  const code = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  return (Object.keys(PACKAGES) as Package[]).filter((name) => code.includes(PACKAGES[name]));
}

const inPackage = (files: readonly string[]): readonly string[] => files.map((file) => file.slice(ROOT.length));

let server: { readonly url: string; close(): Promise<void> };
beforeAll(async () => {
  server = await startAlertmanagerEmulator({ now: Date.now, seed: 'demo' });
});
afterAll(() => server.close());

describe('loaded files', () => {
  const chunks = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.cjs'))
    .map((file) => join(ROOT, 'dist', file));

  it('have each package in a chunk of its own', () => {
    for (const [name, mark] of Object.entries(PACKAGES)) {
      const holding = chunks.filter((file) => readFileSync(file, 'utf8').includes(mark));
      expect(holding.map((file) => packagesIn([file]))).toEqual([[name]]);
    }
  });

  it.each(['--version', 'alerts --help', 'silences rm -h'])(
    'of svc %s are the launcher and its table',
    async (line) => {
      expect(inPackage(await loaded(line.split(' ')))).toEqual([join('bin', 'svc.cjs'), join('dist', 'prepared.json')]);
    },
  );

  it('come only from this package', async () => {
    const files = await loaded(['alerts', 'list'], { SVC_ALERTS_URL: server.url });
    expect(files.filter((file) => !file.startsWith(ROOT) || file.includes(`node_modules${sep}`))).toEqual([]);
  });

  it.each<readonly [line: string, packages: readonly Package[]]>([
    ['alerts list -o json', ['commander', 'undici']],
    ['alerts list', ['commander', 'zod', 'undici', 'cli-table3']],
    ['alerts list --color always', ['commander', 'zod', 'undici', 'chalk', 'cli-table3']],
    ['alerts list -o yaml', ['commander', 'zod', 'undici', 'yaml']],
    [`webhooks verify ${BODY} --timestamp ${T} --signature ${SIGNATURE} --now ${T}`, ['commander']],
    ['__complete matching= alerts get', []],
    ['help --format json', ['commander', 'zod']],
    ['config set timeout 20s', ['commander', 'cli-table3', 'conf']],
  ])('of svc %s have of the packages %j', async (line, packages) => {
    const env = { SVC_ALERTS_URL: server.url, SVC_WEBHOOK_SECRET: SECRET };
    expect(packagesIn(await loaded(line.split(' '), env))).toEqual(packages);
  });
});
