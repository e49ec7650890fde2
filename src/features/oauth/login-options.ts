/** The options of a sign-in and its dialog with the person: messages, the browser, pasted and typed input. */
import { noBrowserReason, openInBrowser } from '../../cli/browser.ts';
import type { RunContext } from '../../cli/command.ts';
import { type Flags, section } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import type { LoginUser } from './login.ts';
import { refusedOption, tokenOption } from './token-input.ts';

const CLIENT = 'Client options';

export const CLIENT_FLAGS = section(CLIENT, {
  'auth-method': {
    type: 'choice',
    value: 'method',
    choices: ['none', 'client_secret_basic', 'client_secret_post'],
    help: 'Client authentication',
  },
  'client-name': { type: 'string', value: 'name', help: 'Name of the client (default svc)' },
});

export const LOGIN_CLIENT_FLAGS = {
  ...CLIENT_FLAGS,
  ...section(CLIENT, {
    'new-client': { type: 'boolean', help: 'Register a new client, even if one is stored' },
    'client-id': { type: 'string', value: 'id', help: 'Use this client instead of registering one' },
    'client-secret-file': { type: 'string', value: 'file', help: 'File with the client secret (-: stdin)' },
    scope: { type: 'string', value: 'scopes', help: 'Scopes to request (default mcp:connect)' },
  }),
  'client-secret': refusedOption('--client-secret', 'pass --client-secret-file <file>, or - for standard input'),
} as const satisfies Flags;

export const PERSONAL_TOKEN_FLAGS = {
  ...section('Personal token options', {
    'token-stdin': { type: 'boolean', help: 'Read a personal token from stdin or a prompt' },
    'expires-in-days': { type: 'integer', min: 1, max: 365, help: 'Lifetime of the personal token' },
  }),
  token: tokenOption('svc oauth login'),
} as const satisfies Flags;

export interface SignInOptions {
  readonly browser: boolean;
  /** Reads pasted addresses from standard input that is not a terminal. */
  readonly paste: boolean;
}

const LONGEST_LINE = 64 * 1024;

export function loginUser(ctx: RunContext, { browser, paste }: SignInOptions): LoginUser {
  const noBrowser = browser ? noBrowserReason(ctx) : '--no-browser';
  const asking = ctx.interactive ? prompted(ctx) : paste ? piped(ctx) : undefined;
  return {
    // Not as notices, which -q and -o json suppress: the user could not sign in.
    async show(url) {
      if (noBrowser !== undefined) await showQrCode(url.href, ctx);
      ctx.target.log.warn(
        noBrowser === undefined ? 'opening a browser at:' : 'to sign in, open this address in a browser:',
      );
      ctx.target.log.warn(url.href);
    },
    notice: (text) => ctx.notice(text),
    async openBrowser(url) {
      if (noBrowser !== undefined) return;
      await ctx.sleep(0); // the address is on the screen by then
      await openInBrowser(url, ctx);
    },
    paste: asking,
  };
}

/** For a phone. Only on a terminal that is wide enough; before the text, which stays in view if the code is high. */
export async function showQrCode(text: string, { screen, wants, warn }: RunContext): Promise<void> {
  if (screen === undefined || screen.ascii || !wants.table) return;
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(text).split('\n');
  if (lines.every(({ length }) => length <= screen.canvas)) for (const line of lines) warn(line);
}

type Paste = NonNullable<LoginUser['paste']>;

function prompted(ctx: RunContext): Paste {
  return (problem, withdrawn) => {
    if (problem !== undefined) ctx.notice(problem);
    return ctx.prompter.secret('Or paste the address that the browser ends at:', withdrawn);
  };
}

function piped(ctx: RunContext): Paste {
  let lines: AsyncIterator<string> | undefined;
  return async (problem, withdrawn) => {
    if (problem !== undefined) ctx.notice(problem);
    lines ??= inputLines(ctx, withdrawn);
    const next = await lines.next();
    return next.done ? undefined : next.value;
  };
}

async function* inputLines(ctx: RunContext, withdrawn: AbortSignal): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const chunk of ctx.stdin.chunksUntil(withdrawn)) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new SvcError('invalid_value', '--paste: a line is too long to be an address');
    yield* lines.filter((line) => line.trim() !== '');
  }
  if (rest.trim() !== '') yield rest;
}
