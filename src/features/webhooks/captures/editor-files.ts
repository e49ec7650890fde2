/** `.http` files, as the HTTP clients of VS Code and JetBrains run them. */
import { dirname, resolve } from 'node:path';
import { SvcError } from '../../../errors.ts';
import { type Delivery, hasServiceHeader, headerValues, type RawHeader, signatureHeaders } from '../delivery.ts';
import { headerLines } from './headers.ts';
import { REQUEST_LINE } from './http-dump.ts';

const METHOD = '(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)';
const SEPARATOR = /^###.*$/m;
/** Comments, variables and scripts before a request. */
const BEFORE = /^(?:[ \t]*\r?\n|(?:#|\/\/|@).*\r?\n|< \{%[\s\S]*?%\}[ \t]*\r?\n)+/;
const VARIABLE = /^@([\w.-]+)[ \t]*=(.*)$/gm;
/** With the lines of a long query. The version may be missing. */
const EDITOR_REQUEST = new RegExp(
  `^${METHOD}[ \\t]+\\S+(?:[ \\t]+HTTP/[\\d.]+[^\\n]*)?[ \\t]*\\r?\\n(?:[ \\t]+[?&].*\\r?\\n)*`,
);
/** What JetBrains runs or shows after a response. */
const AFTER_BODY = /^(?:> |>> |>>! |<> ).*$/m;

/** Whether an editor's client would run the text. A request with a length is from the network. */
export function isEditorFile(text: string): boolean {
  const start = text
    .replace(BEFORE, '')
    .replace(/^###.*\r?\n/, '')
    .replace(BEFORE, '');
  const [line] = EDITOR_REQUEST.exec(start) ?? [];
  // HTTP/2 needs no length, and editors do not write it.
  if (line === undefined || / HTTP\/[23]/.test(line)) return false;
  if (!REQUEST_LINE.test(start)) return true;
  const [head = ''] = /^[\s\S]*?\r?\n\r?\n/.exec(start) ?? [];
  if (/^(?:content-length|transfer-encoding):/im.test(head)) return false;
  return start !== text.trimStart() || /^[A-Z]+ https?:/.test(start) || SEPARATOR.test(text);
}

/** The only request, or those that are signed. `read` opens the file that a body is in. */
export async function editorDeliveries(
  bytes: Buffer,
  source: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<readonly Delivery[]> {
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  const requests = text.split(SEPARATOR).flatMap((section) => readSection(section) ?? []);
  const wanted = requests.length === 1 ? requests : requests.filter(({ headers }) => hasServiceHeader(headers));
  const variables = new Map([...text.matchAll(VARIABLE)].map(([, name = '', value = '']) => [name, value.trim()]));
  const found: Delivery[] = [];
  for (const [index, request] of wanted.entries()) {
    const place = wanted.length === 1 ? source : `${source}#${index + 1}`;
    const headers = request.headers.map(([name, value]): RawHeader => [name, substituted(value, variables)]);
    refuseVariables(headers, place);
    const [, path] = /^<(?:@\w*)?[ \t]+(\S.*)$/.exec(request.body) ?? [];
    const bodyFile = path && resolve(dirname(source), Buffer.from(path.trim(), 'latin1').toString());
    const body =
      bodyFile === undefined ? Buffer.from(substituted(request.body, variables), 'latin1') : await read(bodyFile);
    found.push({ source: place, headers, body, bodyFile, notes: [] });
  }
  return found;
}

interface Section {
  readonly headers: readonly RawHeader[];
  /** One character for each byte. */
  readonly body: string;
}

/** The text between two separators. The empty lines at its end are not part of the body. */
function readSection(section: string): Section | undefined {
  const text = section.replace(/^\r?\n/, '').replace(BEFORE, '');
  const line = EDITOR_REQUEST.exec(text)?.[0];
  if (line === undefined) return undefined;
  const rest = text.slice(line.length);
  const end = /(?:^|\r?\n)\r?\n/.exec(rest);
  const head = rest.slice(0, end?.index).replace(/^(?:#|\/\/).*$/gm, '');
  const after = end === null ? '' : rest.slice(end.index + end[0].length);
  const headers = headerLines(head);
  const length = Number(headerValues(headers, 'content-length')[0] ?? Number.NaN);
  if (after.length >= length) return { headers, body: after.slice(0, length) };
  return { headers, body: after.slice(0, AFTER_BODY.exec(after)?.index).replace(/[\r\n]+$/, '') };
}

function substituted(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\{\{([\w.-]+)\}\}/g, (all, name: string) => variables.get(name) ?? all);
}

function refuseVariables(headers: readonly RawHeader[], place: string): void {
  const { timestamps, signatures } = signatureHeaders(headers);
  const [variable] = /\{\{.*?\}\}/.exec([...timestamps, ...signatures].join(' ')) ?? [];
  if (variable === undefined) return;
  throw new SvcError('file_unusable', `${place}: only the editor knows the value of ${variable}`, {
    hint: 'write the received values of the two headers',
  });
}
