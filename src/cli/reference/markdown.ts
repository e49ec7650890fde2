/** Text and tables as GitHub reads them: what is written is what is shown. */

/** A piece of running text, without line breaks. */
export function escapeMarkdown(text: string): string {
  return (
    text
      .replace(/\s+/g, ' ')
      .trim()
      // Within a word an underscore means nothing, and names are full of them.
      .replace(/[\\`*[\]<>|$~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=#?\w+;)/g, '\\$&')
      .replace(/^([#+=-])/, '\\$1')
      .replace(/^(\d+)([.)])/, '$1\\$2')
  );
}

/** As it is, in the fence that it does not hold itself. */
export function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const blank = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return `${fence}${blank}${text}${blank}${fence}`;
}

/** The cells are Markdown already. Only in a table a bar has to be escaped within code as well. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replace(/(?<!\\)((?:\\\\)*)\|/g, '$1\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Each line a paragraph; several of the form `name: text` after each other a list. */
export function paragraphs(text: string): string {
  const lines = text.split('\n');
  const named = lines.map((line) => /^([a-z0-9]+(?:-[a-z0-9]+)*): (.*)$/.exec(line));
  return lines
    .map((line, index) => {
      const [, name = '', rest = ''] = named[index] ?? [];
      const item = named[index] && (named[index - 1] || named[index + 1]);
      const shown = item
        ? `- ${code(name)}: ${escapeMarkdown(rest)}`
        : isCommand(line)
          ? fenced(line)
          : escapeMarkdown(line);
      return index === 0 ? shown : `${item && named[index - 1] ? '\n' : '\n\n'}${shown}`;
    })
    .join('');
}

export function fenced(text: string, language = 'sh'): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** Lines that are to be copied whole. */
function isCommand(line: string): boolean {
  return /^eval "/.test(line) || /^svc [a-z ]+[|>]/.test(line);
}
