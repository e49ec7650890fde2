/** `svc trade` against the emulated gateway with its sample data, as somebody who only looks. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTradingEmulator, type TradingEmulator } from '../../../../src/sandbox/trade/server.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

/** A Wednesday, when forex is traded. */
export const NOW = Date.UTC(2026, 0, 14, 12);

export interface Reader {
  readonly gateway: TradingEmulator;
  /** In a new home directory by default. */
  run(argv: string | readonly string[], options?: RunOptions): Promise<Run>;
  /** The parsed value of `-o json`. Throws where the command failed. */
  json(argv: string, options?: RunOptions): Promise<unknown>;
  /** What reached the gateway during the last run: `GET /trading/get_model models=Order`. */
  asked(): string[];
  temporaryHome(): string;
}

/** One gateway for all tests of a file; every trap is off when a test begins. */
export function reader(): Reader {
  let gateway: TradingEmulator;
  let before = 0;
  beforeAll(async () => {
    gateway = await startTradingEmulator({ now: () => NOW, random: () => 0.5, seed: 'demo', tickMs: 0, caps: false });
  });
  afterAll(() => gateway.close());
  beforeEach(() => gateway.traps.clear());
  const run: Reader['run'] = (argv, options = {}) => {
    before = gateway.requests.length;
    const given = typeof argv === 'string' ? argv.split(' ') : argv;
    const env = { SVC_TRADE_URL: gateway.url, SVC_TRADE_TOKEN: gateway.token, ...options.env };
    return svc(['trade', ...given], { now: () => NOW, ...options, env });
  };
  return {
    get gateway() {
      return gateway;
    },
    run,
    async json(argv, options) {
      const { code, stdout, stderr } = await run([...argv.split(' '), '-o', 'json'], options);
      if (code !== 0) throw new Error(`${argv}: ${code} ${stderr}`);
      return JSON.parse(stdout);
    },
    asked: () =>
      gateway.requests.slice(before).map(({ method, path, form }) => {
        return `${method} ${path} ${form.map((pair) => pair.join('=')).join('&')}`.trim();
      }),
    temporaryHome,
  };
}

/** The columns of a table as it is printed in a pipe. */
export function rowsOf(stdout: string): string[][] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}
