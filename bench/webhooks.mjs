// Measures `svc webhooks verify`: its start beside bare node, a large body beside openssl, and the deliveries of a recording.
import { createHmac } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, median, time } from './measure.mjs';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const T = '1767225600';
const GIB = 2 ** 30;
const DELIVERIES = 200_000;

const sign = (body) => `sha256=${createHmac('sha256', SECRET).update(`${T}.`).update(body).digest('hex')}`;

/** An event of exactly this many bytes. */
function event(index, bytes) {
  const start = `{"id":"evt_${index}","type":"summary.completed","created_at":"2026-01-01T00:00:00Z","data":{"audio_id":"aud_1","title":"`;
  return `${start}${'x'.repeat(bytes - start.length - 3)}"}}`;
}

/** As `svc webhooks listen --record` writes it. */
function writeRecording(path, count) {
  const file = openSync(path, 'w');
  let text = '';
  for (let index = 0; index < count; index++) {
    const body = event(index, 512);
    text += `${JSON.stringify({
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
        ['X-Service-Timestamp', T],
        ['X-Service-Signature', sign(body)],
        ['Content-Length', '512'],
      ],
      body_b64: Buffer.from(body).toString('base64'),
      status: 'valid',
      event_id: `evt_${index}`,
      event_type: 'summary.completed',
      duplicate: false,
      forward: null,
      response: 204,
    })}\n`;
    if (text.length > 1e6 || index === count - 1) {
      writeSync(file, text);
      text = '';
    }
  }
  closeSync(file);
}

/** Sections of the report, each with a heading and a table. `roundsOf` returns the number of rounds to run instead of the usual one. */
export async function webhookVerification({ svc, exe, node }, env, roundsOf) {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-verify-'));
  const settings = { ...env, SVC_WEBHOOK_SECRET: SECRET };
  try {
    return [
      await starting(dir, { svc, exe, node }, settings, roundsOf),
      await large(dir, svc, settings, roundsOf),
      await recording(dir, svc, settings, roundsOf),
    ];
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function starting(dir, { svc, exe, node }, env, roundsOf) {
  const rounds = roundsOf(31);
  const body = join(dir, 'body.json');
  writeFileSync(body, event(1, 2048));
  const line = `webhooks verify ${body} --timestamp ${T} --signature ${sign(event(1, 2048))} --now ${T}`;
  const commands = {
    'node -e 0': node,
    'svc (2 KiB)': `${svc} ${line}`,
    ...(exe && { 'executable (2 KiB)': `${exe} ${line}` }),
  };
  const results = await compare(commands, { rounds, env });
  return [
    `## webhooks verify: start (${rounds} rounds)`,
    '',
    '| command | ÷ node | CPU ÷ node | wall ms | MiB | budget |',
    '|---|---|---|---|---|---|',
    ...results.map(
      ({ name, wallRatio, cpuRatio, wall, mib }, index) =>
        `| ${name} | ${wallRatio.toFixed(2)} | ${cpuRatio.toFixed(2)} | ${(wall * 1000).toFixed(0)} | ${mib?.toFixed(0) ?? ''} | ${['', verdict(wallRatio <= 2, '≤ 2'), verdict(wallRatio <= 0.7, '≤ 0.7')][index]} |`,
    ),
  ];
}

async function large(dir, svc, env, roundsOf) {
  const rounds = roundsOf(5);
  const big = join(dir, 'big');
  closeSync(openSync(big, 'w'));
  truncateSync(big, GIB);
  const given = `--timestamp ${T} --signature sha256=${'0'.repeat(64)}`;
  const results = await compare(
    {
      'openssl dgst -sha256 -hmac': `openssl dgst -sha256 -hmac key ${big}`,
      'svc webhooks verify': `${svc} webhooks verify ${big} ${given}`,
      'svc webhooks verify <': `${svc} webhooks verify ${given} < ${big}`,
    },
    { rounds, env },
  );
  return [
    `## webhooks verify: 1 GiB (${rounds} rounds)`,
    '',
    '| command | CPU ÷ openssl | CPU ms | wall ms | MiB | budget |',
    '|---|---|---|---|---|---|',
    ...results.map(
      ({ name, cpuRatio, cpu, wall, mib }, index) =>
        `| ${name} | ${cpuRatio.toFixed(2)} | ${(cpu * 1000).toFixed(0)} | ${(wall * 1000).toFixed(0)} | ${mib?.toFixed(0) ?? ''} | ${index === 0 ? '' : verdict(cpuRatio <= 1.2 && (mib ?? 0) <= 64, '≤ 1.2, ≤ 64 MiB')} |`,
    ),
  ];
}

async function recording(dir, svc, env, roundsOf) {
  const rounds = roundsOf(5);
  const file = join(dir, 'rec.ndjson');
  writeRecording(file, DELIVERIES);
  const lines = [];
  for (const format of ['table', 'ndjson']) {
    const samples = [];
    for (let round = -1; round < rounds; round++) {
      const sample = await time(`${svc} webhooks verify ${file} -o ${format}`, env);
      if (sample.status !== 0) throw new Error(`verify of a recording ended with ${sample.status}`);
      if (round >= 0) samples.push(sample);
    }
    const rate = DELIVERIES / median(samples.map(({ cpu }) => cpu));
    const mib = samples[0].mib === undefined ? '' : Math.max(...samples.map((one) => one.mib)).toFixed(0);
    lines.push(`| -o ${format} | ${Math.round(rate)} | ${mib} | ${verdict(rate >= 45_000, '≥ 45000')} |`);
  }
  return [
    `## webhooks verify: a recording of ${DELIVERIES} deliveries, 512 B each (${rounds} rounds)`,
    '',
    '| command | deliveries per CPU second | MiB | budget |',
    '|---|---|---|---|',
    ...lines,
  ];
}

function verdict(met, budget) {
  return `${budget} ${met ? 'met' : 'MISSED'}`;
}
