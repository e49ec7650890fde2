/** Options of several commands, and how their values are read. */
import type { RunContext } from '../../cli/command.ts';
import { FILE, type Flags, type Options } from '../../cli/flags.ts';
import { parseDuration } from '../../duration.ts';
import { SvcError } from '../../errors.ts';
import { isLoopback } from '../../http/address.ts';
import { redactText } from '../../http/redact.ts';
import { HEADER_PREFIX, headerValues, type RawHeader } from './delivery.ts';
import { TOLERANCE_S } from './signature.ts';

/** The argument of commands about one subscription. */
export const SUBSCRIPTION_ARGUMENT = {
  help: 'Subscription id, or a unique prefix of it',
  required: true,
  complete: 'subscriptions',
} as const;

export const GIVEN_HEADER_FLAGS = {
  timestamp: { type: 'string', value: 'T', help: 'Timestamp header' },
  signature: { type: 'string', value: 'sha256=…', help: 'Signature header' },
  header: { type: 'string', repeat: true, value: "'Name: value'", rare: true, help: 'Any other header' },
  'headers-file': { ...FILE, help: 'File with these headers, in any notation' },
} as const satisfies Flags;

/** Headers from options. A header that is given twice counts twice. */
export async function givenHeaders(
  { timestamp, signature, header, headersFile }: Options<typeof GIVEN_HEADER_FLAGS>,
  ctx: Pick<RunContext, 'readInput'>,
): Promise<readonly RawHeader[]> {
  const given: RawHeader[] = [];
  if (headersFile !== undefined) given.push(...findHeaders((await ctx.readInput(headersFile)).toString()));
  for (const line of header) {
    const colon = line.indexOf(':');
    if (colon < 1) {
      throw new SvcError('invalid_value', `--header: "${line}" is not a name, a colon and a value`, {
        hint: "write 'Name: value'",
      });
    }
    given.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
  }
  if (timestamp !== undefined) given.push([`${HEADER_PREFIX}Timestamp`, timestamp]);
  if (signature !== undefined) given.push([`${HEADER_PREFIX}Signature`, signature]);
  if (headersFile !== undefined && headerValues(given, `${HEADER_PREFIX}Signature`).length === 0) {
    throw new SvcError('file_unusable', `${headersFile}: no ${HEADER_PREFIX}Signature in it`, {
      hint: `the file must have ${HEADER_PREFIX}Timestamp and ${HEADER_PREFIX}Signature as they were received`,
    });
  }
  return given;
}

/** A name, what separates it from its value in a line, JSON, or Python, Ruby, PHP, Go or Java, and the value. */
const PRINTED_HEADER = new RegExp(
  [
    String.raw`(?<![\w-])(?:HTTP_)?(X[-_]Service[-_](?:Event|Delivery|Timestamp|Signature))`,
    String.raw`["'\]]*(?:,\s*["']?value["']?)?\s*(?:=>|[:=]|,\s*)[ \t]*(?:[[(]\s*)?(?:b?["'])?`,
    String.raw`([^\s"',;\])}]+)`,
  ].join(''),
  'gi',
);

/** The headers of the service in a text, however a program printed them. */
function findHeaders(text: string): readonly RawHeader[] {
  return [...text.matchAll(PRINTED_HEADER)].map(([, name = '', value = '']) => [name.replaceAll('_', '-'), value]);
}

/** Seconds, or undefined for `none`. A bare number is seconds, as in the header itself. */
export function parseTolerance(text: string): number | undefined {
  if (text === 'none') return undefined;
  const seconds = /^\d{1,15}$/.test(text) ? Number(text) : parseDuration(text) / 1000;
  if (Number.isInteger(seconds)) return seconds;
  throw new SvcError('invalid_value', `"${text}" is not a whole number of seconds`, {
    hint: 'timestamps have no fraction: write 300, 5m or none',
  });
}

export const TOLERANCE_FLAG = {
  type: 'string',
  value: '300|5m|none',
  default: String(TOLERANCE_S),
  help: 'Maximum difference from the clock',
  check: (text: string) => void parseTolerance(text),
} as const;

export const RECEIVER_FLAGS = {
  to: { type: 'string', value: 'url', required: true, help: 'URL of the receiver; quote it if it contains "&"' },
  insecure: { type: 'boolean', rare: true, help: 'Do not check its certificate' },
} as const satisfies Flags;

const PORT = /^:?(\d{1,5})(\/.*)?$/;
const LOCAL = /^(?:(?:[\w-]+\.)*localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/?]|$)/i;

/** `3000`, `3000/hook` and `localhost:3000/hook` are on this machine, where http is the rule. */
function withScheme(text: string): string {
  const [, port, path = ''] = PORT.exec(text) ?? [];
  if (port !== undefined) return `http://localhost:${port}${path}`;
  return LOCAL.test(text) ? `http://${text}` : text;
}

/** An http or https address, its query included. */
export function receiverAddress(typed: string): URL {
  const text = withScheme(typed);
  const refuse = (why: string, hint?: string): SvcError =>
    new SvcError('invalid_value', `the address ${JSON.stringify(redactText(text))} ${why}`, { hint });
  // The URL parser drops or rewrites these: the address used would differ from the one shown.
  if (/[\s\\\x00-\x1f\x7f]/.test(text)) throw refuse('contains a space, a backslash or a control character');
  if (!/^https?:\/\//i.test(text)) {
    throw refuse(
      'is not http:// or https://',
      'write it like http://127.0.0.1:3000/hook, or 3000 for a port of this machine',
    );
  }
  if (!URL.canParse(text)) throw refuse('is not a valid URL', 'a port is a number up to 65535');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw refuse('contains a user name or a password');
  if (url.hash !== '') throw refuse('contains a fragment, which is never sent', 'remove the part that starts with "#"');
  return url;
}

export function addressWarnings(url: URL, { insecure }: { readonly insecure: boolean }): string[] {
  const warnings: string[] = [];
  if (url.protocol === 'http:' && !isLoopback(url)) {
    warnings.push(
      `plain http to ${url.host}: others on the network can read the event and replay it while its timestamp is fresh`,
    );
  }
  if (insecure && url.protocol === 'https:') {
    warnings.push(
      `the certificate of ${url.host} is not checked: others on the network can read and change what is sent`,
    );
  }
  return warnings;
}
