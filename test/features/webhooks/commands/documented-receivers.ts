import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '../../../../docs/webhooks.md');

/** The receiver in docs/webhooks.md in this language. */
export function codeBlock(language: 'js' | 'python'): string {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(readFileSync(PAGE, 'utf8')) ?? [];
  if (code === undefined) throw new Error(`docs/webhooks.md has no receiver in ${language}`);
  return code;
}
