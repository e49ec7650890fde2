// What hiding a secret costs, by its length: its forms are computed once, before the first text; every text is then searched for them.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { median } from './measure.mjs';

const LENGTHS = [40, 1_000, 4_000, 100_000, 1_000_000];
const TEXT = 'POST /oauth/token answered 400: invalid_request. '.repeat(6).slice(0, 256);

/** @returns the lines of the section */
export async function redactionBench(root, rounds) {
  const dir = mkdtempSync(join(tmpdir(), 'svc-redaction-'));
  try {
    const bundle = await rolldown({ input: `${root}src/http/known-secrets.ts`, platform: 'node' });
    await bundle.write({ dir, format: 'cjs', entryFileNames: 'known-secrets.cjs' });
    await bundle.close();
    const { KnownSecrets } = createRequire(import.meta.url)(join(dir, 'known-secrets.cjs'));
    return [
      `## redaction (${rounds} rounds)`,
      '',
      '| characters of the secret | first text, ms | each later text of 256 bytes, ms |',
      '|---|---|---|',
      ...LENGTHS.map((length) => row(KnownSecrets, length, rounds)),
    ];
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function row(KnownSecrets, length, rounds) {
  const first = [];
  const later = [];
  for (let round = 0; round < rounds; round++) {
    const known = new KnownSecrets();
    known.add(randomBytes(length).toString('base64url').slice(0, length));
    first.push(millisecondsOf(() => known.hide(TEXT)));
    later.push(
      millisecondsOf(() => {
        for (let count = 0; count < 100; count++) known.hide(TEXT);
      }) / 100,
    );
  }
  return `| ${length.toLocaleString('en')} | ${median(first).toFixed(2)} | ${median(later).toFixed(4)} |`;
}

function millisecondsOf(work) {
  const began = performance.now();
  work();
  return performance.now() - began;
}
