import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { render } from '../../src/output/render.ts';
import { RawJson } from '../../src/output/types.ts';
import { pyYaml } from '../support/peers.ts';
import { ALERTS, alert, arriving, MemoryStream, options, rendering } from './rendering.ts';

describe('json', () => {
  test('is what JSON.stringify prints, and parses to the same value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), fc.boolean(), async (rows, late) => {
        const { text } = await rendering(late ? arriving(rows) : rows, ALERTS, { format: 'json' });
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(rows)));
        if (/^[\x20-\x7e\n]*$/.test(JSON.stringify(rows, null, 2))) {
          expect(text).toBe(`${JSON.stringify(rows, null, 2)}\n`);
        }
      }),
    );
  });

  test('writes nothing if the first item fails', async () => {
    const sink = new MemoryStream();
    async function* failing(): AsyncGenerator<never> {
      yield* [];
      throw new Error('broken');
    }
    await expect(render(failing(), ALERTS, options({ format: 'json' }), sink)).rejects.toThrow('broken');
    expect(sink.writes).toEqual([]);
  });
});

describe('raw bytes of a service', () => {
  const raw = (...chunks: string[]) => new RawJson(arriving(chunks.map((chunk) => Buffer.from(chunk))));

  test('pass unchanged except for unsafe characters, and end with a line feed', async () => {
    const { text } = await rendering(raw('[{"a": 1.0,', '"b":"\u202e\u009b"}]'), ALERTS, { format: 'json' });
    expect(text).toBe('[{"a": 1.0,"b":"\\u202e\\u009b"}]\n');
    expect((await rendering(raw('[]\n'), ALERTS, { format: 'json' })).text).toBe('[]\n');
  });

  test('are parsed if they must be selected or formatted', async () => {
    const bytes = () => raw('[{"fingerprint":"b","state":"x"},{"finger', 'print":"a","state":"y"}]');
    expect((await rendering(bytes(), ALERTS, { format: 'id', sort: ['fingerprint'] })).text).toBe('a\nb\n');
    expect(JSON.parse((await rendering(bytes(), ALERTS, { format: 'json', limit: 1 })).text)).toHaveLength(1);
  });
});

describe('ndjson', () => {
  test('is one value per line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), async (rows) => {
        const { text } = await rendering(rows, ALERTS, { format: 'ndjson' });
        const lines = text.split('\n').slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(rows)));
      }),
    );
  });

  test.each(['ndjson', 'csv'] as const)('prints %s rows before the next arrives', async (format) => {
    const sink = new MemoryStream();
    let go: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    async function* slow(): AsyncGenerator<unknown> {
      yield alert({ fingerprint: 'first' });
      await gate;
      yield alert({ fingerprint: 'second' });
    }
    const done = render(slow(), ALERTS, options({ format }), sink);
    while (sink.writes.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(sink.text).toContain('first');
    expect(sink.text).not.toContain('second');
    go?.();
    await done;
    expect(sink.text).toContain('second');
  });

  test('stops the source if the reader closes the pipe', async () => {
    const sink = new MemoryStream();
    let made = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<unknown> {
      try {
        for (;;) {
          if (++made === 10) sink.closed = true;
          yield { made };
        }
      } finally {
        closed = true;
      }
    }
    await render(endless(), ALERTS, options({ format: 'ndjson' }), sink);
    expect(made).toBe(10);
    expect(closed).toBe(true);
  });

  test('fails with a failing stream', async () => {
    const sink = new MemoryStream();
    sink.write = async () => {
      throw new Error('disk full');
    };
    await expect(render(arriving([alert()]), ALERTS, options({ format: 'ndjson' }), sink)).rejects.toThrow('disk full');
  });
});

describe('yaml', () => {
  test('parses to the same value', async () => {
    const rows = fc.array(fc.dictionary(fc.string(), fc.jsonValue()));
    await fc.assert(
      fc.asyncProperty(rows, async (generated) => {
        const value = JSON.parse(JSON.stringify(generated));
        const { text } = await rendering(value, ALERTS, { format: 'yaml' });
        expect(parse(text)).toEqual(value);
      }),
      { numRuns: 80 },
    );
  });

  test('quotes and escapes what is unsafe, keeps lines, and writes no anchors', async () => {
    const labels = { a: 'x\x1by\u202e\u{e0001}', b: 'two\nlines\n', c: 'no' };
    const { text } = await rendering([{ labels, again: labels }], ALERTS, { format: 'yaml' });
    expect(text).toContain('a: "x\\u001by\\u202e\\U000e0001"');
    expect(text).toContain('b: |\n');
    expect(text).toContain('c: "no"');
    expect(text).not.toMatch(/[&*]/);
    expect(parse(text)).toEqual([{ labels, again: labels }]);
  });

  test.skipIf(pyYaml() === undefined)('means the same to PyYAML, which reads YAML 1.1', async () => {
    const plain = '= << 1_000 0o7 07 1:30 yes n 2001-01-01 .5 ~ null - &a *a !a %a @a `a` [ {'.split(' ');
    const odd = ['? a', 'a: b', 'a #b', '\u0085', '\u2028', '\ufeff', 'a\nb\n', '\tx', '| a'];
    const word = fc.constantFrom(...plain, ...odd);
    const rows = fc.array(
      fc.dictionary(fc.oneof(word, fc.string()), fc.oneof(word, fc.string({ unit: 'binary' }), fc.integer())),
    );
    const script = 'import json, sys, yaml; print(json.dumps([yaml.safe_load(text) for text in json.load(sys.stdin)]))';
    // One Python reads all of them.
    await fc.assert(
      fc.asyncProperty(fc.array(rows, { minLength: 20, maxLength: 20 }), async (generated) => {
        const values = JSON.parse(JSON.stringify(generated)) as object[][];
        const texts: string[] = [];
        for (const value of values) texts.push((await rendering(value, ALERTS, { format: 'yaml' })).text);
        const read = execFileSync(pyYaml() ?? '', ['-c', script], { input: JSON.stringify(texts), encoding: 'utf8' });
        expect(JSON.parse(read)).toEqual(values);
      }),
      { numRuns: 1 },
    );
  });
});
