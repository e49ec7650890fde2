/** The options of a sign-in. */
import { isIP } from 'node:net';
import { noBrowserReason } from '../../cli/browser.ts';
import type { RunContext } from '../../cli/command.ts';
import { type Flags, section } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
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

export const BROWSER_FLAGS = section('Browser options', {
  'callback-port': {
    type: 'integer',
    aliases: ['port'],
    min: 1,
    max: 65535,
    help: 'Port for the redirect (default: as registered)',
  },
  'callback-host': {
    type: 'string',
    value: 'ip',
    help: 'Address to listen at (0.0.0.0 in a container)',
    check: (text) => {
      if (isIP(text) !== 0) return;
      throw new SvcError('invalid_value', `${JSON.stringify(text)} is not an IP address`, {
        hint: 'in a container, use 0.0.0.0 and publish the port on 127.0.0.1',
      });
    },
  },
  browser: { type: 'boolean', default: true, help: 'Print the address, but open no browser' },
  paste: { type: 'boolean', help: 'Also read the final address from standard input' },
  device: { type: 'boolean', help: 'Sign in with a code on another device (RFC 8628)' },
  wait: { type: 'duration', positive: true, default: '5m', help: 'How long to wait for the browser' },
});

export interface SignInOptions {
  readonly browser: boolean;
  /** Reads pasted addresses from standard input that is not a terminal. */
  readonly paste: boolean;
  readonly device: boolean;
  readonly callbackPort: number | undefined;
  readonly callbackHost: string | undefined;
}

/** Throws, before anything is sent, if options exclude each other or no answer could arrive. */
export function checkWayToSignIn(
  { device, paste, callbackPort, callbackHost, browser }: SignInOptions,
  ctx: RunContext,
) {
  if (device && (paste || callbackPort !== undefined || callbackHost !== undefined)) {
    throw new SvcError('usage', '--device cannot be combined with --callback-port, --callback-host and --paste', {
      hint: 'it needs no redirect: drop the other option',
    });
  }
  if (callbackHost !== undefined && callbackPort === undefined) {
    throw new SvcError('usage', '--callback-host needs --callback-port', { hint: 'name the port that is forwarded' });
  }
  if (ctx.interactive || device || paste || callbackPort !== undefined) return;
  if (whyNoBrowser({ browser }, ctx) === undefined) return;
  throw new SvcError('missing_value', 'a sign-in needs a terminal or a browser, and there is neither', {
    hint: 'use --device, --paste or a forwarded --callback-port, or store a personal token with --token-stdin',
  });
}

/** Undefined if svc opens a browser. */
export function whyNoBrowser({ browser }: Pick<SignInOptions, 'browser'>, ctx: RunContext): string | undefined {
  return browser ? noBrowserReason(ctx) : '--no-browser';
}
