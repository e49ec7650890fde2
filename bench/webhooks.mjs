// `svc webhooks verify` and `list`: small commands, a large body beside openssl, and the deliveries of a recording.
import { createHmac } from 'node:crypto';
import { closeSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, medianOf, medianRatio, startService } from './measure.mjs';
import { compareLines, loadOf } from './programs.mjs';
import { cellsOf, figure, mebibytes, milliseconds, ratio, renderFigures, timeRow } from './table.mjs';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const TIMESTAMP = '1767225600';
const MIB = 2 ** 20;

export async function measureWebhooks(bench) {
  return [
    await measureOneBody(bench),
    await measureList(bench),
    await measureLargeBody(bench),
    await measureRecording(bench),
  ];
}

async function measureOneBody(bench) {
  const file = join(makeFolder('verify'), 'body.json');
  const body = event(1, 2048);
  writeFileSync(file, body);
  const line = `webhooks verify ${file} --timestamp ${TIMESTAMP} --signature ${sign([body])} --now ${TIMESTAMP}`;
  const samples = await compareLines(bench, { svc: line }, { env: { SVC_WEBHOOK_SECRET: SECRET } });
  return timeRow(bench, samples, {
    work: '`webhooks verify` of one 2 KiB body',
    goals: { node: 2, otherNode: 1.8, executable: 0.7 },
    reason: 'loading commander and node:crypto takes most of the time that the start of Node.js does not.',
  });
}

/** stripe-cli is for another service; here it gets a response of the same size. */
async function measureList(bench) {
  const subscriptions = Array.from({ length: 3 }, (_, index) => ({
    id: `ep_${index}`,
    url: `https://hooks.example.com/${index}`,
    events: ['summary.completed'],
    status: 1,
    created_at: '2026-01-01T00:00:00Z',
  }));
  const stripes = { object: 'list', url: '/v1/webhook_endpoints', has_more: false, data: subscriptions };
  const service = await startService(({ url }, response) =>
    response.end(JSON.stringify(url === '/v1/webhooks' ? { items: subscriptions } : stripes)),
  );
  const env = {
    SVC_WEBHOOKS_TOKEN: 'bench',
    STRIPE_API_KEY: 'sk_test_00000000000000000000',
    STRIPE_CLI_TELEMETRY_OPTOUT: '1',
  };
  try {
    const samples = await compareLines(
      bench,
      { svc: `webhooks list -o json --base-url ${service.url}` },
      { peers: { 'stripe-cli': `webhook_endpoints list --api-base ${service.url}` }, rounds: 21, env },
    );
    return timeRow(bench, samples, { work: '`webhooks list -o json`', base: 'stripe-cli' });
  } finally {
    service.close();
  }
}

async function measureLargeBody(bench) {
  const file = join(makeFolder('verify'), 'large');
  const mebibytesOfBody = Math.ceil(loadOf(bench, 1024));
  closeSync(openSync(file, 'w'));
  truncateSync(file, mebibytesOfBody * MIB);
  const signature = sign(Array(mebibytesOfBody).fill(Buffer.alloc(MIB)));
  const samples = await compareLines(
    bench,
    { svc: `webhooks verify ${file} --timestamp ${TIMESTAMP} --signature ${signature} --now ${TIMESTAMP}` },
    { peers: { openssl: `dgst -sha256 -hmac key ${file}` }, rounds: 5, env: { SVC_WEBHOOK_SECRET: SECRET } },
  );
  const { openssl } = samples;
  return {
    work: '`webhooks verify` of 1 GiB',
    against: 'CPU time of `openssl dgst -hmac`',
    cells: cellsOf(bench, (column) => {
      const ours = samples[`${column} svc`];
      const [most, mostMemory] = column === 'node' ? [1.2, 64] : [];
      const memory = mebibytes(Math.max(...ours.map(({ mib }) => mib)), mostMemory);
      return openssl === undefined ? [memory] : [ratio(medianRatio(ours, openssl, 'cpu'), most), memory];
    }),
    peers: openssl && `openssl ${renderFigures([milliseconds(medianOf(openssl, 'cpu'))])}`,
  };
}

async function measureRecording(bench) {
  const file = join(makeFolder('verify'), 'recording.ndjson');
  const count = loadOf(bench, 200_000);
  writeRecording(file, count);
  const line = `webhooks verify ${file} -o ndjson`;
  const samples = await compareLines(bench, { svc: line }, { rounds: 5, env: { SVC_WEBHOOK_SECRET: SECRET } });
  return {
    work: '`webhooks verify` of a recording, 200,000 deliveries of 512 bytes',
    against: '',
    cells: cellsOf(bench, (column) => {
      const ours = samples[`${column} svc`];
      const atLeast = column === 'node' ? 45_000 : undefined;
      return [
        figure(count / medianOf(ours, 'cpu'), { unit: 'per CPU second', atLeast }),
        mebibytes(medianOf(ours, 'mib')),
      ];
    }),
    reason: 'most of the time is spent in JSON.parse, HMAC and garbage collection.',
  };
}

/** The signature of a body in pieces. */
function sign(pieces) {
  const hmac = createHmac('sha256', SECRET).update(`${TIMESTAMP}.`);
  for (const piece of pieces) hmac.update(piece);
  return `sha256=${hmac.digest('hex')}`;
}

/** An event of exactly this many bytes. */
function event(index, bytes) {
  const start = `{"id":"evt_${index}","type":"summary.completed","created_at":"2026-01-01T00:00:00Z","data":{"audio_id":"aud_1","title":"`;
  return `${start}${'x'.repeat(bytes - start.length - 3)}"}}`;
}

/** As `svc webhooks listen --record` writes it. */
function writeRecording(path, count) {
  const file = openSync(path, 'w');
  for (let index = 0; index < count; index++) writeSync(file, `${JSON.stringify(recordOf(index))}\n`);
  closeSync(file);
}

function recordOf(index) {
  const body = event(index, 512);
  return {
    v: 1,
    received_at: '2026-01-01T00:00:01.000Z',
    remote: '127.0.0.1:50000',
    method: 'POST',
    path: '/',
    headers: [
      ['Host', '127.0.0.1:8787'],
      ['Content-Type', 'application/json'],
      ['X-Service-Event', 'summary.completed'],
      ['X-Service-Delivery', `dlv_${index}`],
      ['X-Service-Timestamp', TIMESTAMP],
      ['X-Service-Signature', sign([body])],
      ['Content-Length', '512'],
    ],
    body_b64: Buffer.from(body).toString('base64'),
    status: 'valid',
    event_id: `evt_${index}`,
    event_type: 'summary.completed',
    duplicate: false,
    forward: null,
    response: 204,
  };
}
