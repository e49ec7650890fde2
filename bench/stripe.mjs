// Compares svc with stripe-cli, which is for another service: their starts, and one list of subscriptions. Both get the same response
// from this machine (for stripe-cli, with --api-base).
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fetchPacked, PLATFORM, packedFolder } from '../scripts/packed.mjs';
import { compare } from './measure.mjs';

const VERSION = '1.52.0';
const FOLDER = `stripe-${VERSION}`;

const SUBSCRIPTIONS = Array.from({ length: 3 }, (_, i) => ({
  id: `ep_${i}`,
  url: `https://hooks.example.com/${i}`,
  events: ['summary.completed'],
  status: 1,
  created_at: '2026-01-01T00:00:00Z',
}));
const ANSWERS = {
  '/v1/webhook_endpoints': { object: 'list', url: '/v1/webhook_endpoints', has_more: false, data: SUBSCRIPTIONS },
  '/v1/webhooks': { items: SUBSCRIPTIONS },
};

/** The lines of the table, or the reason why there is none. */
export async function stripeBench(svc, node, env, rounds) {
  try {
    fetchPacked(FOLDER, `@stripe/cli-${PLATFORM}`, VERSION, ['bin']);
  } catch (error) {
    return ['## beside stripe-cli', '', `stripe-cli ${VERSION} could not be fetched: ${error.message}`];
  }
  const stripe = join(packedFolder(FOLDER), 'bin/stripe');
  const server = createServer(({ url }, response) => {
    const answer = ANSWERS[url];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${server.address().port}`;
  try {
    const results = await compare(
      {
        'node -e 0': node,
        'svc --version': `${svc} --version`,
        'stripe --version': `${stripe} --version`,
        'svc webhooks --help': `${svc} webhooks --help`,
        'stripe webhook_endpoints --help': `${stripe} webhook_endpoints --help`,
        'svc webhooks list -o json': `${svc} webhooks list -o json --base-url ${base}`,
        'stripe webhook_endpoints list': `${stripe} webhook_endpoints list --api-base ${base}`,
      },
      {
        rounds,
        env: {
          ...env,
          HOME: env.XDG_CONFIG_HOME,
          SVC_WEBHOOKS_TOKEN: 'bench',
          STRIPE_API_KEY: 'sk_test_00000000000000000000',
          STRIPE_CLI_TELEMETRY_OPTOUT: '1',
        },
      },
    );
    return [
      `## beside stripe-cli ${VERSION} (${rounds} rounds)`,
      '',
      '| command | ÷ node | CPU ÷ node | wall ms | CPU ms | MiB |',
      '|---|---|---|---|---|---|',
      ...results.map(
        ({ name, wallRatio, cpuRatio, wall, cpu, mib }) =>
          `| ${name} | ${wallRatio.toFixed(2)} | ${cpuRatio.toFixed(2)} | ${(wall * 1000).toFixed(0)} | ${(cpu * 1000).toFixed(0)} | ${mib?.toFixed(0) ?? ''} |`,
      ),
    ];
  } finally {
    server.close();
  }
}
