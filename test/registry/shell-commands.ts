/** Splits a line as a POSIX shell does, as far as examples in help pages need it. */

/** A quoted text, blanks, a pipe, a redirection, or a character that a shell takes as it is. */
const PART =
  /^(?:'(?<single>[^']*)'|"(?<double>(?:[^"\\$`]|\\.)*)"| +|\||> ?[\w./-]+|(?<plain>[^ '"*?[\]{}()<>;&|$`\\#]))/;

/** The commands of a pipeline, each as its words. Throws where a shell would expand, redirect or run something. */
export function shellCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const end = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (let at = 0; at < line.length; ) {
    const { 0: part = '', groups = {} } = PART.exec(line.slice(at)) ?? {};
    // Between words, a tilde is a home directory; within a word, svc's examples have neither pipes nor redirections.
    const isExpanded = word === undefined ? part === '~' : /^[|>]/.test(part);
    if (part === '' || isExpanded) throw new Error(`a shell would change ${line.slice(at)} in: ${line}`);
    at += part.length;
    const text = groups['single'] ?? groups['double']?.replace(/\\([\\"$`])/g, '$1') ?? groups['plain'];
    if (text === undefined) end();
    else word = (word ?? '') + text;
    if (part === '|') commands.push([]);
  }
  end();
  return commands;
}
