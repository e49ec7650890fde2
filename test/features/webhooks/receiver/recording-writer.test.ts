import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { HandledDelivery, RecordingWriter } from '../../../../src/features/webhooks/receiver/recording-writer.ts';
import { openRecording, recordingLine } from '../../../../src/features/webhooks/receiver/recording-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-recording-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
/** With what it says about the file. */
function open(path: string): { readonly writer: RecordingWriter; readonly notices: readonly string[] } {
  const notices: string[] = [];
  return { writer: openRecording(path, (text) => notices.push(text)), notices };
}
const fresh = (): string => join(folder, `rec-${count++}.ndjson`);

const DELIVERY: HandledDelivery = {
  received_at: '2026-01-01T00:00:00.000Z',
  remote: '127.0.0.1',
  method: 'POST',
  path: '/',
  headers: [['X-A', 'b']],
  body: Buffer.from('{}'),
  status: 'valid',
  event_id: 'evt_1',
  event_type: 'webhook.ping',
  duplicate: false,
  forward: null,
  response: 204,
};
const LINE = recordingLine(DELIVERY);

describe('a line of a recording', () => {
  it('is ASCII and lossless for any input', () => {
    const text = fc.string({ unit: 'binary', maxLength: 30 });
    fc.assert(
      fc.property(text, fc.array(fc.tuple(text, text), { maxLength: 4 }), (event_id, headers) => {
        const delivery = { ...DELIVERY, event_id, headers };
        const line = recordingLine(delivery);
        expect(line).toMatch(/^\{"v":1,[\x20-\x7e]*\}\n$/);
        const { body: _, ...fields } = delivery;
        expect(JSON.parse(line)).toEqual({ v: 1, body_b64: 'e30=', ...JSON.parse(JSON.stringify(fields)) });
      }),
    );
  });
});

it('the lines of one turn of the event loop are written in order, before the recording is closed', async () => {
  const path = fresh();
  const { writer } = open(path);
  const lines = ['1', '2', '3'].map((event_id) => recordingLine({ ...DELIVERY, event_id }));
  const written = lines.map((line) => writer.add(line));
  writer.close();
  expect([await Promise.all(written), readFileSync(path, 'utf8')]).toEqual([[true, true, true], lines.join('')]);
});

describe('a recording that exists', () => {
  it('is continued after its last complete line', async () => {
    for (const [before, remaining] of [
      [LINE, LINE],
      ['', ''],
      [undefined, ''],
      [`${LINE}{"v":1,"received`, LINE],
      ['{"v', ''],
      [`${LINE}{"v":1,"body_b64":"${'A'.repeat(200_000)}`, LINE],
    ] as const) {
      const path = fresh();
      if (before !== undefined) writeFileSync(path, before, { mode: 0o600 });
      const { writer, notices } = open(path);
      await writer.add(LINE);
      expect(readFileSync(path, 'utf8')).toBe(`${remaining}${LINE}`);
      const removed = (before ?? '').length - remaining.length;
      expect(notices).toEqual(removed === 0 ? [] : [expect.stringContaining(`removed its ${removed} bytes`)]);
    }
  });

  it('is refused unchanged if it is no recording', () => {
    for (const text of ['no recording', '{"log":{}}\n', '\n']) {
      const path = fresh();
      writeFileSync(path, text);
      expect(() => open(path), text).toThrow('is not a recording');
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
    expect(() => open(folder)).toThrow('is not a file');
  });

  it('may have other readers, of whom svc warns', () => {
    const path = fresh();
    writeFileSync(path, LINE);
    chmodSync(path, 0o644);
    expect(open(path).notices).toEqual([`warning: --record: other users can read ${path}: chmod 600 ${path}`]);
  });
});
