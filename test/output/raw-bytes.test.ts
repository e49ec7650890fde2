import { describe, expect, it } from 'vitest';
import type { OutStream } from '../../src/context.ts';
import { render } from '../../src/output/render.ts';
import { type OutputOptions, RawBytes } from '../../src/output/types.ts';
import { options } from './rendering.ts';

async function printed(bytes: Uint8Array, changes: Partial<OutputOptions>, isTTY = false): Promise<Buffer> {
  const written: Buffer[] = [];
  const sink: OutStream = {
    isTTY,
    columns: isTTY ? 80 : undefined,
    colorDepth: 0,
    closed: false,
    write: async (chunk) => void written.push(Buffer.from(chunk as Uint8Array)),
  };
  await render(new RawBytes(bytes), { kind: 'text' }, options(changes), sink);
  return Buffer.concat(written);
}

const HOSTILE = Buffer.from([0x61, 0x0d, 0x0a, 0x1b, 0x5b, 0x32, 0x4a, 0xff, 0x00]);

describe('raw bytes as data', () => {
  it.each(['table', 'wide', 'csv', 'tsv', 'id'] as const)('are exact in a pipe with -o %s', async (format) => {
    expect(await printed(HOSTILE, { format })).toEqual(HOSTILE);
    expect(await printed(Buffer.alloc(0), { format })).toEqual(Buffer.alloc(0));
  });

  it('are escaped text on a terminal', async () => {
    expect((await printed(HOSTILE, {}, true)).toString()).toBe('a\\r\n\\x1b[2J\ufffd\\x00\n');
  });

  it.each(['json', 'ndjson'] as const)('are a string in %s', async (format) => {
    expect(JSON.parse((await printed(HOSTILE, { format })).toString())).toBe('a\r\n\u001b[2J\ufffd\0');
  });
});
