/** Headers of a delivery that are given apart from its body. */
import type { RunContext } from '../../cli/command.ts';
import type { Flags } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { HEADER_PREFIX, type RawHeader } from './delivery.ts';

export const GIVEN_HEADER_FLAGS = {
  timestamp: { type: 'string', value: 'T', help: 'The timestamp header, as it was received' },
  signature: { type: 'string', value: 'sha256=…', help: 'The signature header, as it was received' },
  header: { type: 'string', repeat: true, value: "'Name: value'", help: 'A header as it was received' },
  'headers-file': {
    type: 'string',
    value: 'file',
    complete: 'files',
    help: 'Headers as they were received: lines of Name: value, or JSON',
  },
  'header-prefix': {
    type: 'string',
    value: 'prefix',
    default: HEADER_PREFIX,
    help: "What the names of the service's headers begin with",
    check: (text: string) => {
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/.test(text)) {
        throw new SvcError('invalid_value', `"${text}" cannot begin the name of a header`);
      }
    },
  },
} as const satisfies Flags;

export interface GivenHeaderInput {
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly header: readonly string[];
  readonly headersFile: string | undefined;
  readonly headerPrefix: string;
}

/** All of them together: one that is given twice is there twice. */
export async function givenHeaders(
  input: GivenHeaderInput,
  ctx: Pick<RunContext, 'readInput'>,
): Promise<readonly RawHeader[]> {
  const { timestamp, signature, headersFile, headerPrefix: prefix } = input;
  const given: RawHeader[] = [];
  if (headersFile !== undefined) {
    const { headerFile } = await import('./http-dump.ts');
    given.push(...headerFile(await ctx.readInput(headersFile), headersFile));
  }
  for (const line of input.header) {
    const colon = line.indexOf(':');
    if (colon < 1) {
      throw new SvcError('invalid_value', `--header: "${line}" has no name and colon`, { hint: "write 'Name: value'" });
    }
    given.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
  }
  if (timestamp !== undefined) given.push([`${prefix}Timestamp`, timestamp]);
  if (signature !== undefined) given.push([`${prefix}Signature`, signature]);
  return given;
}
