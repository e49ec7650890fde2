/** Splits a line as a POSIX shell does, as far as examples in help pages need it. */

/** The commands of a pipeline, each as its words. Throws where a shell would expand, redirect or run something. */
export function shellCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  let at = 0;
  const end = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  while (at < line.length) {
    const char = line[at] ?? '';
    if (char === "'") {
      const close = line.indexOf("'", at + 1);
      if (close < 0) throw new Error(`a quote is not closed: ${line}`);
      word = (word ?? '') + line.slice(at + 1, close);
      at = close + 1;
    } else if (char === '"') {
      const quoted = /^"((?:[^"\\$`]|\\.)*)"/.exec(line.slice(at));
      if (quoted === null) throw new Error(`a quote is not closed, or something in it is expanded: ${line}`);
      word = (word ?? '') + (quoted[1] ?? '').replace(/\\([\\"$`])/g, '$1');
      at += quoted[0].length;
    } else if (char === ' ') {
      end();
      at++;
    } else if (char === '|' && word === undefined) {
      commands.push([]);
      at++;
    } else if (char === '>' && word === undefined) {
      // A redirection is not an argument of the command.
      at += (/^> ?[\w./-]+/.exec(line.slice(at)) ?? ['>'])[0].length;
    } else if ('*?[]{}()<>;&|$`\\#'.includes(char) || (char === '~' && word === undefined)) {
      throw new Error(`a shell would make something else of ${char} in: ${line}`);
    } else {
      word = (word ?? '') + char;
      at++;
    }
  }
  end();
  return commands;
}
