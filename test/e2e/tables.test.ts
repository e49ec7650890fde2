/**
 * The tables that people read most, as they come out at three widths, on a dumb terminal and in a pipe. The captures are in `__snapshots__/tables`: read the
 * difference before you accept it with `-u`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import { startCatalogEmulator } from '../../src/sandbox/catalog/server.ts';
import { startTradingEmulator } from '../../src/sandbox/trade/server.ts';
import { startRecordingsEmulator } from '../../src/sandbox/webhooks/server.ts';
import { type RunOptions, svc } from '../support/svc.ts';

/** A Thursday, while the forex market is open. */
const NOW = Date.UTC(2026, 0, 15, 12, 34, 56);
/** Its path is printed, and has the same length everywhere. */
const HOME = mkdtempSync('/tmp/svc-tables-');

/** A generator of Mulberry32: the ids and prices of the sandbox are the same on every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Services {
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const NAMES = ['alerts', 'webhooks', 'catalog', 'trade'] as const;

/** Those of the sandbox, with prices that do not move by themselves. */
async function startServices(names: readonly (typeof NAMES)[number][] = NAMES): Promise<Services> {
  const now = (): number => NOW;
  const start: Record<(typeof NAMES)[number], () => Promise<{ url: string; token?: string; close(): Promise<void> }>> =
    {
      alerts: () => startAlertmanagerEmulator({ now, seed: 'demo' }),
      webhooks: () => startRecordingsEmulator({ now, random: seeded(1), seed: 'demo' }),
      catalog: () => startCatalogEmulator({ now, seed: 'demo' }),
      trade: () => startTradingEmulator({ now, random: seeded(2), seed: 'demo', tickMs: 0 }),
    };
  const started = await Promise.all(names.map(async (name) => ({ name, service: await start[name]() })));
  const env: Record<string, string> = {};
  for (const { name, service } of started) {
    const { url, token } = service;
    env[`SVC_${name.toUpperCase()}_URL`] = url;
    if (token !== undefined) env[`SVC_${name.toUpperCase()}_TOKEN`] = token;
  }
  return {
    env,
    close: async () => {
      await Promise.all(started.map(({ service }) => service.close()));
    },
  };
}

/** What is shown instead of a random one. */
const NEW_ID = '9b3f651e-0c1d-4f3b-8a57-2b1e8d3c4a10';
const BUTTER = '875590fc-509f-46cf-8311-40b0f85d6bc6';
const OIL = '2b7e4d18-0c3a-4f5d-a1b6-9e8d7c6b5a03';

const ADDRESSES = {
  SVC_ALERTS_URL: 'https://alerts.example.com',
  SVC_WEBHOOKS_URL: 'https://recordings.example.com/api',
  SVC_CATALOG_URL: 'https://catalog.example.com',
  SVC_TRADE_URL: 'https://trade.example.com',
};

/** `$name` is replaced by the first id that this command line prints. */
const IDS: Readonly<Record<string, string>> = {
  $alert: 'alerts list NodeDown -q',
  $silence: 'silences list -q',
  $endpoint: 'webhooks list -q',
};

const LINES: readonly string[] = [
  'alerts list',
  'alerts list -a',
  'alerts list -a --group-by team --group-by severity',
  'alerts groups -a',
  'alerts get $alert',
  'alerts receivers',
  'alerts status',
  'silences list -a',
  'silences get $silence',
  'silences ack $alert',
  'silences extend $silence --for 2h',
  'catalog products list --limit 12',
  `catalog products get ${OIL}`,
  `catalog products sources ${OIL}`,
  `catalog compare ${BUTTER} ${OIL}`,
  `catalog history ${OIL} --height 6`,
  'catalog categories list --limit 8',
  'catalog settlements list',
  'webhooks list',
  'webhooks deliveries $endpoint',
  'webhooks samples',
  'oauth status',
  'trade accounts list',
  'trade positions list',
  'trade orders list',
  'trade offers list',
  'trade quote EUR/USD USD/JPY XAU/USD',
  'trade candles EUR/USD H1 --last 4',
  'trade limits',
  'trade hours',
  'config list --show-origin',
];

const HOW: Readonly<Record<string, Pick<RunOptions, 'terminal' | 'env'>>> = {
  '60 columns': { terminal: 60, env: { NO_COLOR: '1' } },
  '80 columns': { terminal: 80, env: { NO_COLOR: '1' } },
  '120 columns': { terminal: 120, env: { NO_COLOR: '1' } },
  'TERM=dumb, 80 columns': { terminal: 80, env: { TERM: 'dumb' } },
  'in a pipe': {},
};

/** What writes has services of its own for each capture, and so has what spends calls. */
const hasOwn = (line: string): boolean => /^(trade|silences (ack|extend)) /.test(line);
let shared: Services | undefined;
let services: Services;
afterAll(async () => {
  await shared?.close();
  rmSync(HOME, { recursive: true, force: true });
});

describe.each(LINES)('svc %s', (line) => {
  it('equals the snapshot', async () => {
    const captures: string[] = [];
    const seen = new Map<string, string>();
    for (const [how, options] of Object.entries(HOW)) {
      const text = await capturedOf(line, options);
      expect(text).not.toContain('\u001b');
      const same = seen.get(text);
      captures.push(`## ${how}\n\n${same === undefined ? text : `as at ${same}\n`}`);
      seen.set(text, same ?? how);
    }
    const name = line.replaceAll(/\$\w+|[0-9a-f]{8}-[0-9a-f-]{27}/g, '').replaceAll(/[^A-Za-z0-9]+/g, '-');
    await expect(`# svc ${line}\n\n${captures.join('\n')}`).toMatchFileSnapshot(
      join(import.meta.dirname, '__snapshots__/tables', `${name.replace(/-$/, '')}.txt`),
    );
  });
});

async function capturedOf(line: string, options: Pick<RunOptions, 'terminal' | 'env'>): Promise<string> {
  shared ??= await startServices();
  services = hasOwn(line) ? await startServices([line.startsWith('trade') ? 'trade' : 'alerts']) : shared;
  const text = await capture(line, options);
  if (services !== shared) await services.close();
  return text;
}

/** The table, and what all of its rows have in common. */
async function capture(line: string, { env, ...options }: Pick<RunOptions, 'terminal' | 'env'>): Promise<string> {
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(join(HOME, 'config'), { recursive: true, mode: 0o700 });
  const settings = { profile: 'work', profiles: { work: { timeout: '20s', 'alerts.author': 'ann' } } };
  writeFileSync(join(HOME, 'config/settings.json'), JSON.stringify(settings), { mode: 0o600 });
  const run = async (argv: readonly string[], more: RunOptions) =>
    svc(argv, { home: HOME, at: NOW, ...more, env: { ...services.env, ...more.env } });
  const argv: string[] = [];
  for (const word of line.split(' ')) {
    const finding = IDS[word];
    argv.push(finding === undefined ? word : ((await run(finding.split(' '), {})).stdout.split('\n')[0] ?? ''));
  }
  // Where an address may be cut, it is the same everywhere.
  const addresses = argv[0] === 'config' ? ADDRESSES : {};
  const { stdout, stderr } = await run(argv, { ...options, env: { ...addresses, ...env } });
  const common = stderr.split('\n').filter((text) => text.startsWith('common: '));
  const isNew = line.startsWith('silences ack');
  return [stdout, ...common.map((text) => `${text}\n`)]
    .join('')
    .replaceAll(/^[0-9a-f]{8}(?:-[0-9a-f-]{27})?(?= )/gm, (id) => (isNew ? NEW_ID.slice(0, id.length) : id))
    .replaceAll(/(?<=127\.0\.0\.1:)\d+/g, '45678')
    .replaceAll(HOME, '/tmp/svc-tables-XXXXXX');
}
