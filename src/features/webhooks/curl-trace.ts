/** The output of `curl --trace` and `--trace-ascii`. */
import { SvcError } from '../../errors.ts';
import type { Delivery } from './delivery.ts';
import { httpDeliveries } from './http-dump.ts';

const TRACE_PREFIX = String.raw`(?:\d\d:\d\d:\d\d\.\d+ )?(?:\[[^\]\s]*\] )?`;
const TRACE = new RegExp(`^${TRACE_PREFIX}(?:== Info: |=> Send header, \\d+ bytes)`);
const SECTION = new RegExp(`^${TRACE_PREFIX}(=>|<=|==) (Send header|Send data|\\S.*?)(?:, (\\d+) bytes .*|:.*)?$`);
/** Sixteen bytes per line, also as text. */
const HEX_LINE = /^[0-9a-f]{4,}: ((?:[0-9a-f]{2} ){1,16}) *(?:.{1,16})?$/;
/** Up to 64 characters per line. */
const ASCII_LINE = /^([0-9a-f]{4,}): ([ -~]{0,64})$/;
const DOT = 0x2e;

/** Written by `--trace` or `--trace-ascii`, possibly with --trace-time and --trace-ids. */
export function isCurlTrace(text: string): boolean {
  return TRACE.test(text);
}

export function traceDeliveries(bytes: Buffer, source: string): readonly Delivery[] {
  const { sent, isAscii } = sentBytes(bytes, source);
  const found = httpDeliveries(sent, source);
  if (!isAscii) return found;
  return found.map((delivery) => {
    const { body, notes } = delivery;
    return body.includes(DOT) ? { ...delivery, notes: [...notes, 'dots_for_bytes'] } : delivery;
  });
}

interface SentBytes {
  readonly sent: Buffer;
  /** Written by `--trace-ascii`: each unprintable byte is a dot. */
  readonly isAscii: boolean;
}

/** The bytes that were sent. */
export function sentBytes(bytes: Buffer, source: string): SentBytes {
  const sections: SentSection[] = [];
  let section: SentSection | undefined;
  for (const line of bytes.toString('latin1').split(/\r?\n/)) {
    const [, direction, what = '', size] = SECTION.exec(line) ?? [];
    if (direction !== undefined) {
      section = undefined;
      if (direction !== '=>' || !/^Send (?:header|data)$/.test(what)) continue;
      section = { size: Number(size ?? 0), lines: [] };
      sections.push(section);
    } else section?.lines.push(line);
  }
  const isAscii = !sections.every(({ lines }) => lines.every((line) => line === '' || HEX_LINE.test(line)));
  const sent = Buffer.concat(sections.map(isAscii ? asciiSection : hexSection));
  if (sent.length > 0) return { sent, isAscii };
  throw new SvcError('file_unusable', `${source}: this curl trace has no sent bytes`, {
    hint: 'curl --trace FILE writes every byte',
  });
}

interface SentSection {
  readonly size: number;
  readonly lines: string[];
}

function hexSection({ lines }: SentSection): Buffer {
  const hex = lines.map((line) => HEX_LINE.exec(line)?.[1] ?? '').join('');
  return Buffer.from(hex.replaceAll(' ', ''), 'hex');
}

/** A line also ends at each CRLF, which only the offsets of the lines show. */
function asciiSection({ size, lines }: SentSection): Buffer {
  const read = lines.flatMap((line): [offset: number, text: string][] => {
    const [, offset, text] = ASCII_LINE.exec(line) ?? [];
    return offset === undefined || text === undefined ? [] : [[Number.parseInt(offset, 16), text]];
  });
  const parts = read.map(([offset, text], index) => {
    const end = read[index + 1]?.[0] ?? size;
    return end - offset === text.length + 2 ? `${text}\r\n` : text;
  });
  return Buffer.from(parts.join(''), 'latin1');
}
