/** Rows that come over time, in a table: no more than can be read on a terminal, all of them in a pipe. */
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
  linesPerSecond: 200,
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

async function* numbers(count: number): AsyncGenerator<number> {
  for (let index = 0; index < count; index++) yield index;
}

/** Begins with a second, so that all that follows is in it. */
async function* flood(...counts: number[]): AsyncGenerator<number> {
  for (const count of counts) {
    const second = Math.floor(performance.now() / 1000);
    while (Math.floor(performance.now() / 1000) === second) await new Promise((done) => setTimeout(done, 2));
    yield* numbers(count);
  }
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

describe('a flood of rows', () => {
  it('is counted per second at a terminal', async () => {
    const lines = await printed(flood(2_034, 300));
    expect(lines).toHaveLength(402);
    expect([lines[199], lines[200], lines[201]]).toEqual(['row  199', '… 1 834 more in this second', 'row  0']);
    expect(lines.at(-1)).toBe('… 100 more in this second');
  });

  it('is reported when its second is over', async () => {
    let printed = (): void => {};
    const waited = new Promise<void>((done) => {
      printed = done;
    });
    async function* stops(): AsyncGenerator<number> {
      yield* flood(201);
      await waited;
    }
    let text = '';
    const sink = terminal((chunk) => {
      text += chunk;
      if (text.includes('… 1 more in this second\n')) printed();
    });
    await render(stops(), LIST, options({ width: 80 }), sink);
    expect(text.match(/more in this second/g)).toHaveLength(1);
  });

  it('is printed completely without a terminal', async () => {
    expect(await printed(numbers(5_000), { width: undefined })).toHaveLength(5_000);
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
