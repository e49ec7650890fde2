/** Signing in: the options of it, and the person who does it: what is said, opened, pasted and typed. */
import { platform } from 'node:os';
import type { RunContext } from '../../cli/command.ts';
import type { Flags } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import type { LoginUser } from './login.ts';
import { tokenOption } from './token-input.ts';

export const CLIENT_FLAGS = {
  'auth-method': {
    type: 'choice',
    value: 'method',
    choices: ['none', 'client_secret_basic', 'client_secret_post'],
    help: 'How the client proves itself to the service (default: none, or what the service offers)',
  },
  'client-name': { type: 'string', value: 'name', help: 'What the service calls the client (default svc)' },
} as const satisfies Flags;

export const LOGIN_CLIENT_FLAGS = {
  ...CLIENT_FLAGS,
  'new-client': { type: 'boolean', help: 'Register a new client although one is stored' },
  'client-id': { type: 'string', value: 'id', help: 'Use this client of the service, and register none' },
  'client-secret-file': { type: 'string', value: 'file', help: 'File with the secret of --client-id ("-": stdin)' },
  scope: { type: 'string', value: 'scopes', help: 'Scopes to ask for, separated by spaces (default mcp:connect)' },
} as const satisfies Flags;

export const PERSONAL_TOKEN_FLAGS = {
  'token-stdin': { type: 'boolean', help: 'Keep a personal token: piped in, or typed and not shown' },
  'expires-in-days': {
    type: 'integer',
    min: 1,
    max: 365,
    value: 'n',
    help: 'The lifetime that the personal token was made with',
  },
  token: tokenOption('svc oauth login'),
} as const satisfies Flags;

export interface SignInOptions {
  readonly browser: boolean;
  /** Takes pasted addresses from standard input although it is no terminal. */
  readonly paste: boolean;
}

/** What starts a browser says soon whether it can; the question for a paste comes after that. */
const BROWSER_MS = 400;
const LONGEST_LINE = 64 * 1024;

export function loginUser(ctx: RunContext, { browser, paste }: SignInOptions): LoginUser {
  const hindrance = noBrowserReason(ctx, browser, platform());
  const asking = ctx.interactive ? prompted(ctx) : paste ? piped(ctx) : undefined;
  return {
    // Not as notices, which -q and -o json keep back: nobody could sign in.
    show(url) {
      ctx.target.log.warn(
        hindrance === undefined ? 'opening a browser to sign in, at:' : 'to sign in, open in a browser:',
      );
      ctx.target.log.warn(url.href);
    },
    notice: (text) => ctx.notice(text),
    async openBrowser(url) {
      if (hindrance !== undefined) return;
      await ctx.sleep(0); // the address is on the screen by then
      const opened = ctx.openBrowser(url).then((problem) => {
        if (problem !== undefined) ctx.notice(`no browser was opened: ${problem}; open the address yourself`);
      });
      await Promise.race([opened, ctx.sleep(BROWSER_MS)]);
    },
    paste: asking,
  };
}

type Paste = NonNullable<LoginUser['paste']>;

function prompted(ctx: RunContext): Paste {
  return (problem, withdrawn) => {
    if (problem !== undefined) ctx.notice(problem);
    return ctx.prompter.secret('Or paste here the address that the browser ends at:', withdrawn);
  };
}

/** One address a line. */
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
    if (rest.length > LONGEST_LINE) throw new SvcError('invalid_value', '--paste: a line is too long for an address');
    yield* lines.filter((line) => line.trim() !== '');
  }
  if (rest.trim() !== '') yield rest;
}

type Place = Pick<RunContext, 'env' | 'interactive'>;

/** Why not, or undefined. `wanted` is false with --no-browser. */
export function noBrowserReason({ env, interactive }: Place, wanted: boolean, platform: string): string | undefined {
  if (!wanted) return '--no-browser';
  if (env['BROWSER'] === 'none') return 'BROWSER is none';
  if (!interactive) return 'no terminal';
  // It would open on the machine that nobody sits at.
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return 'an ssh session';
  const shown = ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME', 'BROWSER'].some((name) => env[name]);
  // What opens addresses would start one that runs in a terminal, where nobody sees it.
  if (platform === 'linux' && !shown) return 'no display';
  return undefined;
}
