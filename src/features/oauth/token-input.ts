/** A token from standard input or from a hidden prompt. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';

/** `--token` is refused: the error names the way to pass a token. */
export function tokenOption(command: string) {
  return refusedOption('--token', `pipe it in: ${command} --token-stdin < file`);
}

/** Declared so that no error or suggestion shows its value. */
export function refusedOption(option: string, hint: string) {
  return {
    type: 'string',
    hidden: true,
    help: 'Refused: other users can see command lines',
    check: () => {
      throw new SvcError('invalid_value', `other users can see command lines, so ${option} is refused`, { hint });
    },
  } as const;
}

const LONGEST_TOKEN = 16 * 1024;

/** One word of printable ASCII: it becomes part of a header. No message contains it. */
export async function askToken(question: string, command: string, ctx: RunContext): Promise<string> {
  const text = ctx.interactive
    ? await ctx.prompter.secret(question)
    : Buffer.from(await ctx.readInput('-')).toString('latin1');
  const token = text.trim();
  if (token === '') {
    const where = ctx.interactive ? 'no token was typed' : '--token-stdin: standard input is empty';
    throw new SvcError('credential_unusable', where, { hint: `pipe it in: ${command} --token-stdin < file` });
  }
  if (token.length > LONGEST_TOKEN || /[^\x21-\x7e]/.test(token)) {
    const where = ctx.interactive ? '' : '--token-stdin: ';
    throw new SvcError('credential_unusable', `${where}a token is one word of ASCII without blanks`, {
      hint: 'pass the token alone, without a header name or other text',
    });
  }
  return token;
}
