/** Shell code as it is read by the shell: a backslash stands for itself, but before `${` and the backtick it is left out. */
export function shell(text: TemplateStringsArray): string {
  return text.raw.join('').replace(/\\(\$\{|`)/g, '$1');
}
