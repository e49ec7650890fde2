/** What curl tells about a request: `--trace` has every byte of it, `--trace-ascii` and `-v` have not. */
import { SvcError } from '../../errors.ts';

/** With the prefixes of --trace-time and --trace-ids. */
const PREFIX = String.raw`(?:\d\d:\d\d:\d\d\.\d+ )?(?:\[[^\]\s]*\] )?`;
const SECTION = new RegExp(`^${PREFIX}(=>|<=|==) (Send header|Send data|\\S.*?)(?:, \\d+ bytes .*|:.*)?$`);
const TRACE = new RegExp(`^${PREFIX}(?:== Info: |=> Send header, \\d+ bytes)`);
/** Sixteen bytes a line, and the same as text. */
const HEX_LINE = /^[0-9a-f]{4,}: ((?:[0-9a-f]{2} ){1,16})/;

export function isCurlTrace(text: string): boolean {
  return TRACE.test(text);
}

/** The bytes that were sent, as they went over the wire. */
export function sentBytes(bytes: Buffer, source: string): Buffer {
  const sent: Buffer[] = [];
  let sending = false;
  let declared = false;
  for (const line of bytes.toString('latin1').split(/\r?\n/)) {
    const [, direction, what] = SECTION.exec(line) ?? [];
    if (direction !== undefined) {
      sending = direction === '=>' && (what === 'Send header' || what === 'Send data');
      declared ||= sending;
      continue;
    }
    const [, hex] = sending ? (HEX_LINE.exec(line) ?? []) : [];
    if (hex !== undefined) sent.push(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
  }
  if (sent.length > 0) return Buffer.concat(sent);
  throw new SvcError(
    'file_unusable',
    declared
      ? `${source}: is curl --trace-ascii output, which does not have every byte`
      : `${source}: is curl --trace output of no request`,
    { hint: 'curl --trace FILE writes every byte' },
  );
}
