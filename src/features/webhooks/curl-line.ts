/** curl command lines, as browsers and `sign --as curl` write them. */
import { SvcError } from '../../errors.ts';
import type { Delivery, RawHeader } from './delivery.ts';
import { shellWords } from './shell-words.ts';

/** Options with a value that says nothing about body or headers. */
const OTHERS_WITH_VALUE = new Set(
  '-A -b -c -C -D -e -E -h -m -o -P -Q -r -t -u -U -w -x -X -y -Y -z --aws-sigv4 --cacert --capath --cert --cert-type --ciphers --connect-timeout --connect-to --cookie --cookie-jar --doh-url --dns-servers --dump-header --happy-eyeballs-timeout-ms --interface --key --key-type --keepalive-time --limit-rate --local-port --max-filesize --max-redirs --max-time --noproxy --oauth2-bearer --output --output-dir --pass --pinnedpubkey --proto --proto-default --proxy --proxy-header --proxy-user --range --rate --referer --request --request-target --resolve --retry --retry-delay --retry-max-time --socks5 --socks5-hostname --speed-limit --speed-time --stderr --tls-max --trace --trace-ascii --unix-socket --url --url-query --user --user-agent --write-out'.split(
    ' ',
  ),
);
const DATA = new Set(['-d', '--data', '--data-ascii', '--data-raw', '--data-binary', '--json']);
/** They change what is sent in ways of their own. */
const REFUSED = new Set([
  '-F',
  '--form',
  '--form-string',
  '-T',
  '--upload-file',
  '-G',
  '--get',
  '--data-urlencode',
  '--config',
  '-K',
]);

type Words = readonly string[];

/** `read` opens a file that a line names by `@`. */
export async function curlDeliveries(
  bytes: Buffer,
  source: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<readonly Delivery[]> {
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  if (/^\s*curl(?:\.exe)?\s+\^"|\^\r?\n/.test(text)) {
    throw new SvcError('file_unusable', `${source}: is a command line for cmd.exe`, { hint: 'copy it as cURL (bash)' });
  }
  const found: Delivery[] = [];
  const lines = commands(text, source);
  for (const [index, words] of lines.entries()) {
    found.push(await delivery(words, lines.length > 1 ? `${source}#${index + 1}` : source, read));
  }
  return found;
}

function commands(text: string, source: string): readonly Words[] {
  const found: string[][] = [];
  let current: string[] | undefined;
  for (const token of shellWords(text, source)) {
    if ('end' in token) current = undefined;
    else if (current !== undefined) current.push(token.word);
    else if (/^(?:.*\/)?curl(?:\.exe)?$/.test(token.word)) {
      current = [];
      found.push(current);
    }
  }
  if (found.length === 0) throw new SvcError('file_unusable', `${source}: holds no curl command`);
  return found;
}

async function delivery(words: Words, source: string, read: (path: string) => Promise<Uint8Array>): Promise<Delivery> {
  const headers: RawHeader[] = [];
  const notes = new Set<string>();
  /** What is sent, and what would be if no line end were dropped. */
  const sent: Uint8Array[] = [];
  const whole: Uint8Array[] = [];
  for (const [option, value] of options(words, source)) {
    if (option === '-H' || option === '--header') {
      if (value.startsWith('@')) throw unusable(source, `takes headers from the file ${value.slice(1)}`);
      // `Name;` sends it empty, and `Name:` does not send it.
      const [, name, mark, text = ''] = /^([^:;]+)([:;])[ \t]*(.*?)[ \t]*$/s.exec(value) ?? [];
      if (name !== undefined && (text !== '' || mark === ';')) headers.push([name, text]);
      continue;
    }
    const isJson = option === '--json';
    const isText = option === '-d' || option === '--data' || option === '--data-ascii';
    if (isText) notes.add('curl_d_strips_newlines');
    const separator = sent.length > 0 && !isJson ? [Buffer.from('&')] : [];
    const [data, original] = await bytesOf(value, option, isText, source, read);
    sent.push(...separator, data);
    whole.push(...separator, original);
  }
  const body = Buffer.concat(sent);
  const unstripped = Buffer.concat(whole);
  const changed = unstripped.length !== body.length;
  return {
    source,
    headers,
    body,
    notes: [...notes],
    ...(changed ? { original: { hint: 'body_with_newlines', body: unstripped } } : {}),
  };
}

/** curl takes CR, LF and NUL out of a file that `-d` names, and leaves a text as it is. */
async function bytesOf(
  value: string,
  option: string,
  isText: boolean,
  source: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<readonly [sent: Uint8Array, original: Uint8Array]> {
  if (!value.startsWith('@') || option === '--data-raw') {
    const bytes = Buffer.from(value, 'latin1');
    return [bytes, bytes];
  }
  const path = Buffer.from(value.slice(1), 'latin1').toString();
  if (path === '-') throw unusable(source, 'takes the body from standard input');
  const original = await read(path);
  return [isText ? original.filter((byte) => byte !== 0x0d && byte !== 0x0a && byte !== 0) : original, original];
}

/** The headers and the data of the line, in order. */
function* options(words: Words, source: string): Generator<readonly [option: string, value: string]> {
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const valued = (name: string): boolean => name === '-H' || name === '--header' || DATA.has(name);
    let name = word;
    let attached: string | undefined;
    if (/^-[^-]/.test(word)) {
      // Letters without a value may stand before one that has one: -sSd@file.
      const letters = [...word.slice(1)];
      const taking = letters.findIndex((letter) => takesValue(`-${letter}`));
      name = taking < 0 ? word : `-${letters[taking]}`;
      attached = taking < 0 ? undefined : word.slice(taking + 2) || undefined;
      const refused = letters.slice(0, taking < 0 ? undefined : taking + 1).find((letter) => REFUSED.has(`-${letter}`));
      if (refused !== undefined) throw unusable(source, `has -${refused}`);
    }
    if (REFUSED.has(name)) throw unusable(source, `has ${name}`);
    if (!takesValue(name)) continue;
    const value = attached ?? words[++index];
    if (value === undefined) throw unusable(source, `ends after ${name}`);
    if (valued(name)) yield [name, value];
  }
}

function takesValue(name: string): boolean {
  return name === '-H' || name === '--header' || DATA.has(name) || OTHERS_WITH_VALUE.has(name) || REFUSED.has(name);
}

function unusable(source: string, what: string): SvcError {
  return new SvcError('file_unusable', `${source}: the curl command ${what}, and so its body is not known`, {
    hint: 'save the body in a file, and give its headers by options',
  });
}
