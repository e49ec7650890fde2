/** curl command lines, as browsers and `sign --as curl` write them. */
import { SvcError } from '../../../errors.ts';
import type { Delivery, RawHeader } from '../delivery.ts';

/** A longer line was written neither by hand nor by a browser. */
const LONGEST_MIB = 16;
const ADVICE = 'save the body in a file, and pass its headers as options';

/** These remove CR, LF and NUL from a file. */
const STRIPS = ['-d', '--data', '--data-ascii'];
const DATA = new Set([...STRIPS, '--data-raw', '--data-binary', '--json']);
/** Options that change the request in unsupported ways. */
const REFUSED = new Set('-F --form --form-string -T --upload-file -G --get --data-urlencode --config -K'.split(' '));
/** Others whose value may be attached: `-ume:pass`. Long names have a separate, skipped one. */
const TAKES_VALUE = /[AbcCDeEhmoPQrtuUwxXyYz]/;

/** `read` opens a file that a line names with `@`. */
export async function curlDeliveries(
  bytes: Buffer,
  source: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<readonly Delivery[]> {
  if (bytes.length > LONGEST_MIB * 1024 * 1024) {
    throw new SvcError('file_unusable', `${source}: larger than ${LONGEST_MIB} MiB`);
  }
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  if (/^\s*curl(?:\.exe)?\s+\^"|\^\r?\n/.test(text)) {
    throw new SvcError('file_unusable', `${source}: this is a command line for cmd.exe`, {
      hint: 'copy it as cURL (bash)',
    });
  }
  const lines = curlLines(text, source);
  if (lines.length === 0) throw new SvcError('file_unusable', `${source}: contains no curl command`);
  const found: Delivery[] = [];
  for (const [index, args] of lines.entries()) {
    found.push(await readCurlLine(args, lines.length > 1 ? `${source}#${index + 1}` : source, read));
  }
  return found;
}

/** The arguments of each curl command. Other commands are skipped. */
function curlLines(text: string, source: string): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let line: string[] | undefined;
  for (const word of splitShell(text, source)) {
    // A command ends.
    if (word === undefined) line = undefined;
    else if (line !== undefined) line.push(word);
    else if (/^(?:.*\/)?curl(?:\.exe)?$/.test(word)) {
      line = [];
      lines.push(line);
    }
  }
  return lines;
}

async function readCurlLine(
  args: readonly string[],
  source: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<Delivery> {
  const headers: RawHeader[] = [];
  const notes = new Set<string>();
  const sent: Uint8Array[] = [];
  let bodyFile: string | undefined;
  for (const [option, value] of readOptions(args, source)) {
    if (option === '-H' || option === '--header') {
      const header = parseHeader(value, source);
      if (header !== undefined) headers.push(header);
      continue;
    }
    if (sent.length > 0 && option !== '--json') sent.push(Buffer.from('&'));
    if (STRIPS.includes(option)) notes.add('curl_d_strips_newlines');
    const data = await readData(option, value, source, read);
    sent.push(data.sent);
    bodyFile = data.file ?? bodyFile;
  }
  return { source, headers, body: Buffer.concat(sent), bodyFile, notes: [...notes] };
}

async function readData(
  option: string,
  value: string,
  source: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<{ readonly sent: Uint8Array; readonly file?: string }> {
  if (option === '--data-raw' || !value.startsWith('@')) {
    return { sent: Buffer.from(value, 'latin1') };
  }
  if (value === '@-') throw refuseBody(source, 'takes the body from standard input');
  const file = Buffer.from(value.slice(1), 'latin1').toString();
  const whole = await read(file);
  const isStripped = STRIPS.includes(option);
  return { sent: isStripped ? whole.filter((byte) => ![0x0d, 0x0a, 0].includes(byte)) : whole, file };
}

/** `Name;` sends it empty, and `Name:` does not send it: undefined. */
function parseHeader(value: string, source: string): RawHeader | undefined {
  if (value.startsWith('@')) throw refuseBody(source, `takes headers from the file ${value.slice(1)}`);
  const [, name, mark, text = ''] = /^([^:;]+)([:;])[ \t]*(.*?)[ \t]*$/s.exec(value) ?? [];
  return name !== undefined && (text !== '' || mark === ';') ? [name, text] : undefined;
}

/** The headers and the data of the line, in order. */
function* readOptions(args: readonly string[], source: string): Generator<readonly [option: string, value: string]> {
  for (let index = 0; index < args.length; index++) {
    const [name, attached] = splitShortOption(args[index] ?? '');
    if (REFUSED.has(name)) throw refuseBody(source, `has ${name}`);
    if (!isReadOption(name)) continue;
    const value = attached === '' ? args[++index] : attached;
    if (value === undefined) throw refuseBody(source, `ends after ${name}`);
    yield [name, value];
  }
}

function isReadOption(name: string): boolean {
  return name === '-H' || name === '--header' || DATA.has(name);
}

/** Letters without a value may precede one with a value: `-sSd@file`. */
function splitShortOption(arg: string): readonly [name: string, attached: string] {
  if (!/^-[^-]/.test(arg)) return [arg, ''];
  const at = [...arg].findIndex(
    (letter, index) =>
      index > 0 && (isReadOption(`-${letter}`) || REFUSED.has(`-${letter}`) || TAKES_VALUE.test(letter)),
  );
  return at < 0 ? [arg, ''] : [`-${arg[at]}`, arg.slice(at + 1)];
}

function refuseBody(source: string, what: string): SvcError {
  return new SvcError('file_unusable', `${source}: the curl command ${what}, so its body is not known`, {
    hint: ADVICE,
  });
}

/** The parts of a shell line. No variable, command substitution or unterminated quote matches. */
const PART = new RegExp(
  [
    "'(?<single>[^']*)'",
    String.raw`\$'(?<ansi>(?:[^'\\]|\\.)*)'`,
    String.raw`\$?"(?<double>(?:[^"\\]|\\.)*)"`,
    String.raw`\\(?<escaped>\r?\n|.|$)`,
    String.raw`(?<plain>[^ \t\r\n\f\v'"\\$\`;&|<>()#]+|\$(?![\w({*@#?!$'"-])|(?<![ \t\r\n\f\v;&|<>()]|^)#)`,
    String.raw`(?<blank>[ \t\r\f\v]+|#[^\n]*)`,
    '[\n;&|<>()]',
  ].join('|'),
  'sy',
);

/** Arguments, with undefined after each command. Throws `file_unusable` if it takes a shell. */
function* splitShell(text: string, source: string): Generator<string | undefined> {
  let word: string | undefined;
  PART.lastIndex = 0;
  for (let at = 0; at < text.length; at = PART.lastIndex) {
    const part = PART.exec(text)?.groups;
    if (part === undefined) throw refuseUnfinished(text.slice(at), source);
    const piece = pieceOf(part, source);
    if (piece !== undefined) word = (word ?? '') + piece;
    else if (part['escaped'] === undefined) {
      if (word !== undefined) yield word;
      word = undefined;
      if (part['blank'] === undefined) yield undefined;
    }
  }
  if (word !== undefined) yield word;
}

/** What a part adds to a word; undefined if it adds nothing, or ends the word. */
function pieceOf(part: Readonly<Record<string, string | undefined>>, source: string): string | undefined {
  const { single, ansi, double, escaped, plain } = part;
  if (double !== undefined) {
    for (const [, expansion] of double.matchAll(/\\.|(`|\$[\w({]+)/gs)) {
      if (expansion !== undefined) throw refuseLine(source, explainExpansion(expansion));
    }
    return double.replace(/\\(?:\n|(["\\$`]))/g, '$1');
  }
  if (ansi !== undefined) return ansi.replace(ESCAPE, decodeEscape);
  // A line break with a backslash before it is nothing.
  if (escaped?.endsWith('\n')) return undefined;
  return escaped ?? single ?? plain;
}

function refuseUnfinished(text: string, source: string): SvcError {
  const [quote] = /^\$?['"]/.exec(text) ?? [];
  const [expansion = '$'] = /^\$?[\w({`]+/.exec(text) ?? [];
  return refuseLine(
    source,
    quote === undefined ? explainExpansion(expansion) : `the command line ends inside ${QUOTES[quote]}`,
  );
}

function refuseLine(source: string, why: string): SvcError {
  return new SvcError('file_unusable', `${source}: ${why}`, { hint: ADVICE });
}

const QUOTES: Readonly<Record<string, string>> = {
  "'": 'single quotes',
  '"': 'double quotes',
  '$"': 'double quotes',
  "$'": "$'…'",
};

function explainExpansion(expansion: string): string {
  return `only the shell knows the value of ${expansion}…`;
}

/** Inside `$'…'`, which browsers use for special characters: one beyond the BMP is two units. */
const ESCAPE =
  /\\(?:([0-7]{1,3})|x([\da-fA-F]{1,2})|(u[\da-fA-F]{1,4}(?:\\u[dD][c-fC-F][\da-fA-F]{2})*|U[\da-fA-F]{1,8})|(.))/gs;
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

/** The bytes of an escape, one character each: `\u` is UTF-8. */
function decodeEscape(all: string, octal?: string, hex?: string, unicode?: string, other = ''): string {
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (unicode === undefined) return SIMPLE_ESCAPES[other] ?? (/['"\\?]/.test(other) ? other : all);
  const units = unicode.split(/\\?u/i).filter((unit) => unit !== '');
  const codes = units.map((unit) => Number.parseInt(unit, 16));
  if (codes.some((code) => code > 0x10ffff)) return all;
  const text = codes.length > 1 ? String.fromCharCode(...codes) : String.fromCodePoint(...codes);
  return Buffer.from(text).toString('latin1');
}
