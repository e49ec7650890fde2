/** curl command lines, as browsers and `sign --as curl` write them. */
import { SvcError } from '../../errors.ts';
import type { Delivery, RawHeader } from './delivery.ts';

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

/** A word, or what ends a command: `;`, `&`, `&&`, `|`, a line end. */
type Token = { readonly word: string } | { readonly end: true };

const PLAIN = /[^\s'"\\$`;&|<>()#]+/y;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Throws `file_unusable` for what only a shell can know: variables and commands within the line, and quotes that never end. */
function* shellWords(text: string, source: string): Generator<Token> {
  let at = 0;
  let word: string | undefined;
  const unusable = (why: string): SvcError =>
    new SvcError('file_unusable', `${source}: ${why}`, {
      hint: 'save the body in a file, and give its headers by options',
    });
  const upTo = (end: string, what: string): string => {
    const stop = text.indexOf(end, at);
    if (stop < 0) throw unusable(`the command line ends within ${what}`);
    const found = text.slice(at, stop);
    at = stop + 1;
    return found;
  };
  const expanded = (): SvcError =>
    unusable(`${/^\$?[\w({`]+/.exec(text.slice(at))?.[0] ?? '$'}… is known to the shell only`);

  while (at < text.length) {
    PLAIN.lastIndex = at;
    const plain = PLAIN.exec(text)?.[0];
    if (plain !== undefined) {
      word = (word ?? '') + plain;
      at += plain.length;
      continue;
    }
    const character = text[at] ?? '';
    if (character === '#' && word !== undefined) {
      word += character;
      at++;
    } else if (character === '#') {
      while (at < text.length && text[at] !== '\n') at++;
    } else if (character === "'") {
      at++;
      word = (word ?? '') + upTo("'", 'single quotes');
    } else if (text.startsWith("$'", at)) {
      at += 2;
      word = (word ?? '') + ansiC();
    } else if (character === '"' || text.startsWith('$"', at)) {
      at += character === '"' ? 1 : 2;
      word = (word ?? '') + doubleQuoted();
    } else if (character === '\\') {
      const escaped = /^\\(\r?\n|.?)/s.exec(text.slice(at, at + 3))?.[1] ?? '';
      at += 1 + escaped.length;
      if (!escaped.endsWith('\n')) word = (word ?? '') + escaped;
    } else if (character === '$' || character === '`') {
      if (character === '$' && !/^\$[\w({*@#?!$-]/.test(text.slice(at, at + 2))) {
        word = `${word ?? ''}$`;
        at++;
      } else throw expanded();
    } else {
      if (word !== undefined) yield { word };
      word = undefined;
      if (/[;&|\n()<>]/.test(character)) yield { end: true };
      at++;
    }
  }
  if (word !== undefined) yield { word };

  function doubleQuoted(): string {
    let found = '';
    for (;;) {
      const character = text[at];
      if (character === undefined) throw unusable('the command line ends within double quotes');
      if (character === '"') {
        at++;
        return found;
      }
      if (character === '`' || /^\$[\w({]/.test(text.slice(at, at + 2))) throw expanded();
      if (character === '\\') {
        const next = text[at + 1] ?? '';
        found += next === '\n' ? '' : /["\\$`]/.test(next) ? next : `\\${next}`;
        at += 2;
      } else {
        found += character;
        at++;
      }
    }
  }

  /** `$'…'`: bash's own escapes, by which Chrome writes what is not plain. A `\u` is UTF-8. */
  function ansiC(): string {
    let found = '';
    for (;;) {
      const character = text[at];
      if (character === undefined) throw unusable("the command line ends within $'…'");
      if (character === "'") {
        at++;
        return found;
      }
      if (character !== '\\') {
        found += character;
        at++;
        continue;
      }
      const rest = text.slice(at + 1, at + 10);
      const [all, octal, hex, unicode] =
        /^(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/.exec(rest) ?? [];
      if (all === undefined) {
        const next = rest[0] ?? '';
        found += SIMPLE_ESCAPES[next] ?? (/['"\\?]/.test(next) ? next : `\\${next}`);
        at += 1 + next.length;
        continue;
      }
      at += 1 + all.length;
      if (octal !== undefined) found += String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      else if (hex !== undefined) found += String.fromCharCode(Number.parseInt(hex, 16));
      else found += unicodeBytes(Number.parseInt(unicode ?? all.slice(1), 16));
    }
  }

  /** Browsers write a character beyond the first plane as two units. */
  function unicodeBytes(unit: number): string {
    let code = unit;
    const low = /^\\u(d[c-f][0-9a-f]{2})/i.exec(text.slice(at, at + 6))?.[1];
    if (unit >= 0xd800 && unit <= 0xdbff && low !== undefined) {
      code = 0x10000 + ((unit - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00);
      at += 6;
    }
    if (code > 0x10ffff) throw unusable(`\\U${unit.toString(16)} is no character`);
    return Buffer.from(String.fromCodePoint(code)).toString('latin1');
  }
}
