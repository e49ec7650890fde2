/** `svc webhooks check-receiver` fails every receiver that is wrong in one way, and passes those that are right. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBE_NAMES } from '../../../../src/features/webhooks/probes/probes.ts';
import type { ProbeResult } from '../../../../src/features/webhooks/probes/receiver-check.ts';
import { interpreter } from '../../../support/peers.ts';
import { freePorts } from '../../../support/ports.ts';
import { svc } from '../../../support/svc.ts';
import { KEY } from './handmade-receiver.ts';
import { listen } from './listening.ts';
import { answering, probe } from './probing.ts';
import { EXPRESS_RECEIVERS, serveExpress } from './receivers/express.ts';
import { NODE_RECEIVERS, serveNode } from './receivers/node.ts';

async function failures(url: string, only: readonly string[] = []): Promise<ProbeResult[]> {
  return (await probe(url, only)).filter(({ status }) => status === 'fail' || status === 'skipped');
}

async function expectFailures(url: string, probes: readonly string[]): Promise<void> {
  // Megabytes to each receiver would take most of the time: they go to those that fail by them.
  const only = PROBE_NAMES.filter((name) => name !== 'large-body' || probes.includes(name));
  const failed = await failures(url, only);
  expect(failed.map(({ probe: name }) => name)).toEqual(expect.arrayContaining([...probes]));
  for (const { status, sent, got, fix } of failed) {
    for (const text of status === 'fail' ? [sent, got, fix] : [got]) expect(text).toMatch(/\w/);
  }
}

let server: Server;
let base: string;
beforeAll(async () => {
  const express = serveExpress();
  server = createServer((request, response) =>
    request.url?.startsWith('/express/') ? express(request, response) : void serveNode(request, response),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe.concurrent('on bare Node', () => {
  it.each(Object.entries(NODE_RECEIVERS))('%s fails', async (name, [, probes]) => {
    await expectFailures(`${base}/node/${name}`, probes);
  });
  it('a correct one passes', async () => {
    expect(await failures(`${base}/node/correct`)).toEqual([]);
  });
  it('a correct one that locks after ten refusals in a row passes', async () => {
    let refusals = 0;
    const receiver = createServer((request, response) => {
      response.on('finish', () => {
        refusals = response.statusCode < 300 ? 0 : refusals + 1;
      });
      if (refusals < 10) void serveNode(request, response);
      else request.resume().on('end', () => response.writeHead(503).end());
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const failed = await failures(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/node/correct`);
    receiver.close();
    receiver.closeAllConnections();
    expect(failed).toEqual([]);
  });
});

describe.concurrent('on Express', () => {
  it.each(Object.entries(EXPRESS_RECEIVERS))('%s fails', async (name, [, probes]) => {
    await expectFailures(`${base}/express/${name}`, probes);
  });
  it('a correct one passes', async () => {
    expect(await failures(`${base}/express/correct`)).toEqual([]);
  });
});

it('svc webhooks listen passes', async () => {
  const { port, stop } = await listen([]);
  expect(await failures(`http://127.0.0.1:${port}/`)).toEqual([]);
  await stop();
});

const file = (name: string): string => fileURLToPath(new URL(`receivers/${name}`, import.meta.url));

interface Interpreter {
  readonly program: string;
  /** Its receivers, and a probe that each must fail. */
  readonly receivers: Readonly<Record<string, string>>;
  readonly args: (port: number) => readonly string[];
  /** It prints no port, and listens on the one it is given. */
  readonly silent?: true;
}

const INTERPRETERS: readonly Interpreter[] = [
  {
    program: 'python3',
    args: () => [file('receivers.py'), KEY],
    receivers: {
      'prints-json-again': 'raw-body',
      'strips-the-body': 'raw-body',
      'compares-pairs': 'signature-length',
      'compares-bytes-of-hex': 'signature-length',
      'converts-the-timestamp': 'shifted-dot',
      'indexes-the-headers': 'missing-signature',
      'reads-the-title': 'optional-fields',
      'splits-at-the-last-dot': 'shifted-dot',
    },
  },
  {
    program: 'perl',
    args: () => [file('receivers.pl'), KEY],
    receivers: {
      'chomps-the-body': 'raw-body',
      'numeric-timestamp': 'shifted-dot',
      'matches-a-pattern': 'signature-length',
      'searches-the-signature': 'signature-length',
      'ignores-the-clock': 'stale-timestamp',
      'dies-on-a-mismatch': 'bad-signature',
    },
  },
  {
    program: 'php',
    args: (port) => ['-S', `127.0.0.1:${port}`, '-t', dirname(file('receivers.php')), file('receivers.php')],
    silent: true,
    receivers: {
      'encodes-json-again': 'raw-body',
      'casts-the-timestamp': 'shifted-dot',
      'compares-a-prefix': 'signature-length',
      trims: 'raw-body',
      'allows-everything-old': 'stale-timestamp',
    },
  },
];

describe.each(INTERPRETERS)('in $program', ({ program, args, receivers, silent }) => {
  const path = interpreter(program);
  let child: ChildProcess;
  let url: string;
  beforeAll(async () => {
    if (path === undefined) return;
    const free = silent ? await freePorts() : 0;
    const env = { ...process.env, RECEIVER_KEY: KEY };
    child = spawn(path, args(free), { env, stdio: ['pipe', silent ? 'ignore' : 'pipe', 'ignore'] });
    const port = silent ? await answering(free) : Number(await firstLine(child));
    url = `http://127.0.0.1:${port}`;
  });
  afterAll(() => void child?.kill('SIGKILL'));

  it.skipIf(path === undefined).each(Object.entries(receivers))('%s fails', async (name, expected) => {
    await expectFailures(`${url}/${name}`, [expected]);
  });
  it.skipIf(path === undefined)('a correct one passes', async () => {
    expect(await failures(`${url}/correct`)).toEqual([]);
  });
});

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('its output is not read');
  const [line] = await once(createInterface(stdout), 'line');
  return line as string;
}

it('covers many broken receivers on any machine', () => {
  expect(Object.keys(NODE_RECEIVERS).length + Object.keys(EXPRESS_RECEIVERS).length).toBeGreaterThanOrEqual(28);
});

/** Five receivers that look right. */
describe('the command', () => {
  it.each([
    ['node/compares-digits-given', 'signature-length'],
    ['express/json-stringify', 'raw-body'],
    ['node/throws-on-other-lengths', 'signature-length'],
    ['node/requires-all-fields', 'optional-fields'],
    ['node/reads-the-transcript', 'optional-fields'],
  ])('fails %s, and says why in every format', async (path, name) => {
    const argv = ['webhooks', 'check-receiver', `${base}/${path}`, '--only', name];
    const env = { SVC_WEBHOOK_SECRET: KEY };
    const { code, stdout } = await svc(argv, { env });
    expect(code).toBe(1);
    const json = await svc([...argv, '-o', 'json'], { env });
    const [result] = JSON.parse(json.stdout) as ProbeResult[];
    expect(result).toMatchObject({ probe: name, status: 'fail' });
    for (const text of [result?.sent, result?.fix, result?.got]) {
      expect(text).toMatch(/\w/);
      expect(stdout).toContain(text);
    }
  });
});
