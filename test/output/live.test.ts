/** Rows that come over time, in a table. */
import { describe, expect, it } from 'vitest';
import type { OutStream } from '../../src/context.ts';
import { render } from '../../src/output/render.ts';
import type { ListOutput, OutputOptions } from '../../src/output/types.ts';
import { options } from './rendering.ts';

const LIST: ListOutput<number> = {
  kind: 'list',
  columns: [{ name: 'n', cell: (n) => n }],
  id: String,
  live: (n) => (n < 0 ? [] : ['row', { text: String(n), tone: 'bad' }, undefined, '']),
};

const terminal = (write: (text: string) => void): OutStream => ({
  isTTY: true,
  columns: 80,
  colorDepth: 0,
  closed: false,
  write: async (chunk) => write(String(chunk)),
});

async function printed(rows: AsyncIterable<number>, changes: Partial<OutputOptions> = {}): Promise<string[]> {
  let text = '';
  const sink = terminal((chunk) => {
    text += chunk;
  });
  await render(rows, LIST, options({ width: 80, ...changes }), sink);
  return text.split('\n').slice(0, -1);
}

describe('a live row', () => {
  it('is a line of its non-empty cells, or no line', async () => {
    async function* some(): AsyncGenerator<number> {
      yield 1;
      yield -1;
      yield 2;
    }
    expect(await printed(some())).toEqual(['row  1', 'row  2']);
    expect(await printed(some(), { color: 1 })).toEqual(['row  \x1b[31m1\x1b[39m', 'row  \x1b[31m2\x1b[39m']);
  });
});

it.each(['table', 'ndjson'] as const)('prints the rows that came right before a failure: %s', async (format) => {
  let text = '';
  const write = async (chunk: string | Uint8Array): Promise<void> => {
    text += String(chunk);
  };
  const sink: OutStream = { isTTY: false, columns: undefined, colorDepth: 0, closed: false, write };
  async function* rows(): AsyncGenerator<number> {
    yield 1;
    throw new Error('broken');
  }
  await expect(render(rows(), LIST, options({ format }), sink)).rejects.toThrow('broken');
  expect(text).toBe(format === 'table' ? 'row  1\n' : '1\n');
});
