import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { SvcError } from '../../../src/errors.ts';
import { type DeliveryFormat, inputFiles, readDeliveries } from '../../../src/features/webhooks/captures/formats.ts';
import { headerLines } from '../../../src/features/webhooks/captures/headers.ts';
import { httpDeliveries } from '../../../src/features/webhooks/captures/http-dump.ts';
import { capturedDeliveries } from '../../../src/features/webhooks/captures/json.ts';
import { recordedDelivery } from '../../../src/features/webhooks/captures/recordings.ts';
import { type Delivery, headerValues } from '../../../src/features/webhooks/delivery.ts';
import { signingSecret, verifySignature } from '../../../src/features/webhooks/signature.ts';
import { NOW_S, PING, recorded, request, SECRET, SIGNATURE, T } from './vectors.ts';

const S1 = signingSecret(SECRET, 'test');
const text = (body: Uint8Array): string => Buffer.from(body).toString('latin1');
const valid = ({ headers, body, truncated }: Delivery): boolean =>
  truncated !== true &&
  verifySignature(
    {
      timestamps: headerValues(headers, 'x-service-timestamp'),
      signatures: headerValues(headers, 'x-service-signature'),
    },
    body,
    [S1],
    { nowS: NOW_S, toleranceS: 300 },
  ).verdict === 'valid';

interface Got {
  readonly found: readonly Delivery[];
  readonly notices: readonly string[];
  readonly unusable: readonly SvcError[];
}

/** Reads the bytes in pieces of this size, each overwritten by the next. */
async function read(bytes: Uint8Array, format: DeliveryFormat = 'auto', size = 1 << 20): Promise<Got> {
  const found: Delivery[] = [];
  const notices: string[] = [];
  const unusable: SvcError[] = [];
  const pieces = async function* () {
    const buffer = Buffer.alloc(size);
    for (let at = 0; at < bytes.length; at += size) {
      const part = bytes.subarray(at, at + size);
      buffer.fill(0xee);
      buffer.set(part);
      yield buffer.subarray(0, part.length);
    }
  };
  const options = {
    format,
    signed: false,
    chunks: pieces,
    notice: (line: string) => void notices.push(line),
    unusable: (error: SvcError) => void unusable.push(error),
  };
  for await (const some of readDeliveries('in', options)) {
    if ('pieces' in some) {
      const all: Buffer[] = [];
      for await (const piece of some.pieces) all.push(Buffer.from(piece));
      found.push({ source: some.source, headers: [], body: Buffer.concat(all), notes: ['bare'] });
    } else found.push(...some);
  }
  return { found, notices, unusable };
}

describe('a raw request', () => {
  const one = (head: string, body: string | Buffer): Delivery | undefined =>
    httpDeliveries(
      Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${head}\r\n\r\n`), Buffer.from(body as string)]),
      'x',
    )[0];

  it('ends at its length, and is truncated if bytes are missing', () => {
    expect(one('Content-Length: 3', 'abcdef')).toMatchObject({ notes: ['bytes_after_body'] });
    expect(text(one('Content-Length: 3', 'abc\n')?.body ?? PING)).toBe('abc');
    expect(one('Content-Length: 3', 'abc\n')?.notes).toEqual([]);
    expect(one('Content-Length: 4', 'abc')).toMatchObject({ truncated: true });
    expect(text(one('Host: x', 'abc\n')?.body ?? PING)).toBe('abc\n');
    expect(httpDeliveries(Buffer.from('POST / HTTP/1.1\r\nHost: x\r\n'), 'x')[0]).toMatchObject({ truncated: true });
    expect(httpDeliveries(request().subarray(0, -1), 'x')[0]).toMatchObject({ truncated: true });
  });

  it('in chunks is joined, with extensions, trailers and bare line feeds', () => {
    for (const [body, wanted] of [
      ['3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n', 'abcde'],
      ['A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n', '0123456789'],
      ['3\nabc\n0\n\n', 'abc'],
      ['0\r\n\r\n', ''],
      ['3\r\nabc\r\n0\r\n', 'abc'],
    ] as const) {
      const delivery = one('Transfer-Encoding: Chunked\r\nContent-Length: 1', body);
      expect(text(delivery?.body ?? PING)).toBe(wanted);
      expect(delivery?.truncated).toBe(false);
    }
    for (const body of ['', '5\r\nabc', '3\r\nabc', '3\r\nabc\r\n', '3\r\nabcXX0\r\n\r\n']) {
      expect(one('Transfer-Encoding: gzip, chunked', body), body).toMatchObject({ truncated: true });
    }
    const decoded = one('Transfer-Encoding: chunked', '{"a":1}');
    expect(decoded).toMatchObject({ notes: ['chunks_decoded_before'] });
    expect(text(decoded?.body ?? PING)).toBe('{"a":1}');
  });

  it('has repeated headers apart, and in their order', () => {
    const headers = headerLines('A: 1\r\na:2\r\nB:\r\n  folded\r\n: x\r\nnothing\r\n');
    expect(headers).toEqual([
      ['A', '1'],
      ['a', '2'],
      ['B', ' folded'],
    ]);
  });
});

describe('a HAR', () => {
  const HEADERS = { 'x-service-timestamp': T, 'x-service-signature': SIGNATURE };
  const headers = Object.entries(HEADERS).map(([name, value]) => ({ name, value }));
  const entry = (changes: Readonly<Record<string, unknown>>) => ({ request: { method: 'POST', headers, ...changes } });
  const archive = (...entries: unknown[]): Buffer => Buffer.from(JSON.stringify({ log: { version: '1.2', entries } }));

  it('may have bodies in base64, or lack them', () => {
    const encoded = { text: PING.toString('base64') };
    for (const mark of [{ encoding: 'base64' }, { _encoding: 'base64' }, { _base64: true }]) {
      const [delivery] =
        capturedDeliveries(archive(entry({ postData: { ...encoded, ...mark } })), 'x')?.deliveries ?? [];
      expect(delivery?.notes).toEqual([]);
      expect(delivery && valid(delivery)).toBe(true);
    }
    const lost = (changes: Readonly<Record<string, unknown>>): unknown =>
      capturedDeliveries(archive(entry({ postData: undefined, ...changes })), 'x');
    expect(lost({ bodySize: 82 })).toMatchObject({
      deliveries: [],
      failures: [{ code: 'file_unusable', message: 'x#1: the body is not in it' }],
    });
    for (const bodySize of [-1, 0, { toString: 1, valueOf: 1 }]) {
      expect(lost({ bodySize })).toMatchObject({ deliveries: [{ body: Buffer.alloc(0) }], failures: [] });
    }
  });
});

describe('a recording', () => {
  const pairs = (...texts: readonly string[]): readonly (readonly string[])[] =>
    texts.flatMap((text, index) => (index % 2 === 0 ? [[text, texts[index + 1] ?? '']] : []));

  it('is read as by a JSON parser', () => {
    const odd = [
      recorded(),
      recorded(Buffer.alloc(0)),
      recorded(PING, { headers: [] }),
      recorded(PING, { headers: pairs('A"b\\', 'c","d', 'X-Service-Timestamp', '"],["') }),
      recorded(PING, { headers: pairs('x-SERVICE-Timestamp', T, 'X-Service-', '', 'Other', 'x') }),
      recorded(PING, { path: '/"body_b64":"eA=="' }),
      recorded(PING, { headers: [['body_b64', 'eA==']] }),
      recorded(PING, { headers: [['X-Service-Event', '漢字 é']] }),
      recorded(PING, { received_at: 'never' }),
    ];
    for (const line of odd) {
      const value = JSON.parse(line) as { headers: [string, string][]; body_b64: string; received_at: string };
      const found = recordedDelivery(line.trimEnd(), 'x');
      expect(text(found?.body ?? Buffer.alloc(0)), line).toBe(text(Buffer.from(value.body_b64, 'base64')));
      const ours = (headers: readonly (readonly [string, string])[]) =>
        headers.filter(([name]) => /^x-service-/i.test(name));
      expect(ours(found?.headers ?? []), line).toEqual(ours(value.headers));
      expect(found?.receivedS).toBe(value.received_at === 'never' ? undefined : NOW_S + 1.5);
    }
  });

  it('is read in pieces of any size', async () => {
    const lines = [recorded(), '\n', recorded(Buffer.from('x')), `${recorded().trimEnd()}\r\n`, recorded().trimEnd()];
    for (const size of [1, 7, 100, 1 << 20]) {
      const { found, notices, unusable } = await read(Buffer.from(lines.join('')), 'ndjson', size);
      expect(found.map(({ source }) => source)).toEqual(['in:1', 'in:3', 'in:4', 'in:5']);
      expect(found.map(valid)).toEqual([true, false, true, true]);
      expect([notices, unusable]).toEqual([[], []]);
    }
  });
});

describe('the format of an input', () => {
  it('is known of an input in pieces, which are all read', async () => {
    const long = Buffer.alloc(20_000, 'é');
    for (const size of [1, 16_384, 1 << 20]) {
      expect((await read(long, 'auto', size)).found[0]?.body).toEqual(long);
      expect((await read(request(), 'auto', size)).found.map(valid)).toEqual([true]);
      const mark = Buffer.from('\ufeff');
      for (const marked of [request(), Buffer.from(recorded())]) {
        expect((await read(Buffer.concat([mark, marked]), 'auto', size)).found.map(valid)).toEqual([true]);
      }
      const { headers, body_b64 } = JSON.parse(recorded()) as { headers: [string, string][]; body_b64: string };
      const log = JSON.stringify({ body_b64, headers: Object.fromEntries(headers) });
      expect((await read(Buffer.from(log), 'auto', size)).found.map(valid)).toEqual([true]);
      expect((await read(Buffer.from(recorded().repeat(40)), 'auto', size)).found).toHaveLength(40);
      expect((await read(Buffer.alloc(0), 'auto', size)).found).toEqual([]);
    }
  });
});

describe('any bytes in a file', () => {
  const formats = ['auto', 'http', 'har', 'ndjson'] as const;
  const spliced = fc
    .tuple(
      fc.constantFrom(request(), Buffer.from(recorded())),
      fc.nat(),
      fc.nat({ max: 20 }),
      fc.uint8Array({ maxLength: 20 }),
    )
    .map(([bytes, at, cut, more]) => {
      const start = at % bytes.length;
      return Buffer.concat([bytes.subarray(0, start), more, bytes.subarray(start + cut)]);
    });

  it('neither crash a reader nor make an altered body valid', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array(), spliced), fc.constantFrom(...formats), async (bytes, format) => {
        const { found } = await read(bytes, format).catch((error: SvcError): Got => {
          expect(error.code).toBe('file_unusable');
          return { found: [], notices: [], unusable: [] };
        });
        for (const delivery of found) if (valid(delivery)) expect(text(delivery.body)).toBe(text(PING));
      }),
      { numRuns: 500 },
    );
  });
});

describe('the files of svc webhooks verify', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-inputs-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  it('of a folder are read by name, without hidden ones', () => {
    mkdirSync(join(dir, 'sub'));
    for (const name of ['b', 'a', '.hidden', 'sub/c']) writeFileSync(join(dir, name), '');
    expect(inputFiles([dir, 'x'])).toEqual([join(dir, 'a'), join(dir, 'b'), join(dir, 'sub/c'), 'x']);
    expect(inputFiles([])).toEqual(['-']);
    expect(() => inputFiles(['-', '-'])).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
