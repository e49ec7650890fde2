/** The lines of a spool: an event, that it is being sent, that it was answered, and what was received before. */

import { closeSync, fstatSync, fsyncSync, readSync, writeSync } from 'node:fs';
import * as z from 'zod/mini';
import { openOwnFile } from '../../../store/own-file.ts';
import type { RawHeader } from '../delivery.ts';
import type { Forwarded } from './forwarder.ts';
import { recordingLine } from './recording-writer.ts';

/** One event, as it is written. */
export interface SpooledEvent {
  /** That of `SeenEvents`; null without an event id, or without a search for duplicates. */
  readonly key: string | null;
  readonly received_at: string;
  /** The fingerprint of the secret that verified it; null if it was not verified. */
  readonly secret: string | null;
  readonly event_id: string | null;
  readonly event_type: string | null;
  readonly path: string;
  readonly headers: readonly RawHeader[];
  readonly body_b64: string;
}

/** An event in the file that has no answer yet. */
export interface Waiting {
  readonly number: number;
  readonly id: string | null;
  readonly type: string | null;
  /** Requests that the target may have taken, although none was answered. */
  tries: number;
}

/** The first line, which tells a spool from any other file. */
export const HEADER = '{"v":1,"spool":"svc webhooks listen"}\n';

const text = z.nullable(z.string());
const eventKey = z.string().check(z.regex(/^[0-9a-f]{32}$/));
const eventLine = z.object({
  event: z.int(),
  key: z.nullable(eventKey),
  received_at: z.string(),
  secret: text,
  event_id: text,
  event_type: text,
  path: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body_b64: z.string(),
});
const spoolLine = z.union([
  eventLine,
  z.object({ sent: z.int() }),
  z.object({ failed: z.int() }),
  z.object({ settled: z.int() }),
  // An event that was settled on a full disk.
  z.object({ ended: z.int(), key: z.nullable(eventKey), received_at: z.string() }),
  z.object({ seen: eventKey, at: z.number() }),
]);

type SpoolLine = z.infer<typeof spoolLine>;

/** Undefined if it is damaged. */
export function parsedLine(line: string): SpoolLine | undefined {
  try {
    return z.safeParse(spoolLine, JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Of a line that was read before. */
export function eventOf(line: string): SpooledEvent {
  return eventLine.parse(JSON.parse(line));
}

/** An event that its target does not take goes to a recording, on disk when this returns: `svc webhooks replay` reads it. */
export function appendRefused(path: string, event: SpooledEvent, { status, ms }: Forwarded): void {
  const file = openOwnFile(path, 'a+');
  try {
    const { size } = fstatSync(file);
    const last = Buffer.from('\n');
    if (size > 0) readSync(file, last, 0, 1, size - 1);
    const { received_at, headers, body_b64, event_id, event_type } = event;
    const line = recordingLine({
      v: 1,
      received_at,
      remote: '-',
      method: 'POST',
      path: event.path,
      headers,
      body_b64,
      status: event.secret === null ? 'unchecked' : 'valid',
      event_id,
      event_type,
      duplicate: false,
      forward: { status, ms },
      response: 200,
    });
    // A killed process may have left half a line.
    writeSync(file, last.toString() === '\n' ? line : `\n${line}`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function readFully(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(file, bytes, done, bytes.length - done, position + done);
    if (count === 0) throw new Error('the file is shorter than before');
    done += count;
  }
}
