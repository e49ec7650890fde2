/** Text in the language of man pages: what is written is what is shown, whatever it begins with. */

const NAMED: Readonly<Record<string, string>> = {
  '\\': '\\e',
  // A plain hyphen, that of options: copied from a page, a typographical one would be no option.
  '-': '\\-',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  "'": '\\(aq',
  '"': '\\(dq',
};

/** A line of running text. */
export function escapeRoff(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`^~'"-]/g, (char) => NAMED[char] ?? char)
    // JSON has no blanks where a line could end.
    .replace(/\S{40,}/g, (word) => word.replace(/,/g, ',\\:'))
    .replace(
      /[^\x20-\x7e]/gu,
      (char) => `\\[u${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
  // At the start of a line a dot would begin a request.
  return line.replace(/^\./, '\\&.');
}

export function bold(text: string): string {
  return `\\fB${escapeRoff(text)}\\fR`;
}

/** The argument of a macro. */
function quoted(text: string): string {
  return `"${escapeRoff(text).replace(/^\\&/, '')}"`;
}

/** Neither stretched nor hyphenated: options and command lines stay what they are. */
export function title(name: string, version: string): string {
  return `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`svc ${version}`)} "svc"\n.ad l\n.nh`;
}

export function section(name: string, ...parts: readonly string[]): string {
  return [`.SH ${quoted(name)}`, ...parts].join('\n');
}

export function subsection(name: string, ...parts: readonly string[]): string {
  return [`.SS ${quoted(name)}`, ...parts].join('\n');
}

/** Each line a paragraph. */
export function paragraphs(text: string): string {
  return text
    .split('\n')
    .map((line) => `.PP\n${escapeRoff(line)}`)
    .join('\n');
}

/** A term, and indented below it what it means; `left` is roff already. */
export function item(left: string, right: string): string {
  return `.TP\n${left}\n${escapeRoff(right)}`;
}

/** Lines as they are. */
export function verbatim(lines: readonly string[]): string {
  return ['.PP', '.RS 4', '.nf', ...lines.map(escapeRoff), '.fi', '.RE'].join('\n');
}
