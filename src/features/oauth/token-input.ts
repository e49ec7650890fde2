/** A token that is piped in, or typed and not shown. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';

/** `--token`, which is refused with the way to give one. */
export function tokenOption(command: string) {
  return {
    type: 'string',
    hidden: true,
    help: 'Refused: other users can see command lines',
    check: () => {
      throw new SvcError('invalid_value', 'other users can see command lines, so no token is taken from one', {
        hint: `pipe it in: ${command} --token-stdin < file`,
      });
    },
  } as const;
}

const LONGEST_TOKEN = 16 * 1024;

/** One word of ASCII: it goes into a header as it is, and into no message. */
export async function askToken(question: string, command: string, ctx: RunContext): Promise<string> {
  const text = ctx.interactive
    ? await ctx.prompter.secret(question)
    : Buffer.from(await ctx.readInput('-')).toString('latin1');
  const token = text.trim();
  if (token === '') {
    const where = ctx.interactive ? 'no token was typed' : '--token-stdin: there is no token';
    throw new SvcError('credential_unusable', where, {
      hint: `pipe it in: ${command} --token-stdin < file`,
    });
  }
  if (token.length > LONGEST_TOKEN || /[^\x21-\x7e]/.test(token)) {
    const where = ctx.interactive ? '' : '--token-stdin: ';
    throw new SvcError('credential_unusable', `${where}that is no token, which is one word of ASCII`, {
      hint: 'give the token alone, without a header name or other text around it',
    });
  }
  return token;
}
