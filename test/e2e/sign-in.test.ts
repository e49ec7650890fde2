/** `svc oauth login` of the built binary: signals, standard input that never ends, a browser that is not there, a real terminal. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOpen } from '../features/oauth/raw.ts';
import { browse, type OidcServer, startOidc } from '../support/oidc.ts';
import { HOME, startSvc } from './binary.ts';
import { named, noTmux, Terminal } from './terminal.ts';

let server: OidcServer;
beforeAll(async () => {
  server = await startOidc();
});
afterAll(() => server.close());

const home = (): string => mkdtempSync(join(HOME, 'login-'));

async function begin(config: string, args: readonly string[] = [], input?: string | 'open') {
  const env = { SVC_WEBHOOKS_URL: server.url, SVC_CONFIG_DIR: config };
  const run = startSvc(['oauth', 'login', ...args], { env, ...(input === undefined ? {} : { input }) });
  await run.printed('response_type=code');
  return { run, url: addressIn(run.texts.stderr) };
}

function addressIn(text: string): URL {
  return new URL(/^http:\S+response_type=\S+/m.exec(text)?.[0] ?? '');
}

const portOf = (url: URL): number => Number(new URL(url.searchParams.get('redirect_uri') ?? '').port);

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 143],
] as const)('%s ends it: nothing is written, and the port is free', async (signal, status) => {
  const config = home();
  const { run, url } = await begin(config, ['-o', 'json'], 'open');
  run.child.kill(signal);
  expect((await run.ended).code).toBe(status);
  expect(run.texts.stdout).toBe('');
  expect(await isOpen(portOf(url))).toBe(false);
  expect(readdirSync(config)).toEqual([]);
});

it.each([
  ['is not read', [], 'open'],
  ['stays silent with --paste', ['--paste'], 'open'],
  ['has ended', [], undefined],
  ['has ended with --paste', ['--paste'], undefined],
] as const)('standard input that %s neither blocks nor ends it', async (_name, args, input) => {
  const config = home();
  const { run, url } = await begin(config, args, input);
  expect((await browse(url)).status).toBe(200);
  expect((await run.ended).code).toBe(0);
  expect(readdirSync(config)).toEqual(['credentials.json']);
});

it('an address from a pipe signs in, and is not shown', async () => {
  const config = home();
  const { run, url } = await begin(config, ['--paste', '--debug'], 'open');
  const port = String(portOf(url));
  const { url: redirected } = await browse(url, (to) => to.port === port);
  run.child.stdin?.write(`${redirected}\n`);
  expect((await run.ended).code).toBe(0);
  expect(await isOpen(Number(port))).toBe(false);
  const code = new URL(redirected).searchParams.get('code') ?? '';
  expect(code).not.toBe('');
  expect(run.texts.stdout + run.texts.stderr).not.toContain(code);
});

describe.skipIf(noTmux)(named('at a terminal', noTmux), () => {
  const programs = join(HOME, 'programs');
  let terminal: Terminal;
  beforeAll(() => {
    mkdirSync(programs);
    // Started without a shell, with the address as its one argument.
    writeFileSync(join(programs, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > "$OPENED"\nexit "$XDG_STATUS"\n`);
    chmodSync(join(programs, 'xdg-open'), 0o755);
  });

  const open = (config: string, more: Readonly<Record<string, string>>): Terminal => {
    const PATH = [programs, join(HOME, 'commands'), process.env['PATH']].join(delimiter);
    return new Terminal(100, 30, {
      ...{ PATH, SVC_WEBHOOKS_URL: server.url, SVC_CONFIG_DIR: config, OPENED: join(config, 'opened') },
      ...{ DISPLAY: ':9', BROWSER: 'any', XDG_STATUS: '0', NO_COLOR: '1', ...more },
    });
  };
  const address = async (): Promise<URL> => {
    await terminal.shows((lines) => lines.some((line) => line.includes('paste the address')));
    return addressIn(terminal.lines(true).join('\n'));
  };

  it('says that no browser could be opened, accepts a pasted address without echo, and restores the terminal', async () => {
    const config = home();
    terminal = open(config, { XDG_STATUS: '3' });
    try {
      const { lines: before } = await terminal.run('stty -a');
      terminal.begin('svc oauth login');
      const url = await address();
      await terminal.shows((lines) => lines.join('').includes('ended with status 3; open the address yourself'));
      const port = String(portOf(url));
      const { url: redirected } = await browse(url, (to) => to.port === port);
      terminal.type(redirected);
      terminal.press('Enter');
      const { lines, status } = await terminal.finish();
      expect({ status, lines }).toMatchObject({ status: 0 });
      expect(lines.join('')).not.toContain(new URL(redirected).searchParams.get('code'));
      expect((await terminal.run('stty -a')).lines).toEqual(before);
      expect(existsSync(join(config, 'credentials.json'))).toBe(true);
    } finally {
      terminal.close();
    }
  });

  it('opens a browser, whose response ends the prompt', async () => {
    const config = home();
    terminal = open(config, {});
    try {
      const { lines: before } = await terminal.run('stty -a');
      terminal.begin('svc oauth login');
      const url = await address();
      await browse(url);
      expect((await terminal.finish()).status).toBe(0);
      expect((await terminal.run(`cat "${config}/opened" | head -1`)).lines).toEqual(['1']);
      expect((await terminal.run('stty -a')).lines).toEqual(before);
    } finally {
      terminal.close();
    }
  });

  it.each([
    ['Ctrl-C at the question', ['C-c']],
    ['the end of input, which ends the question alone, and then Ctrl-C', ['C-d', 'C-c']],
  ])('%s ends it, with the port free', async (_name, keys) => {
    const config = home();
    terminal = open(config, { BROWSER: 'none' });
    try {
      terminal.begin('svc oauth login');
      const url = await address();
      for (const key of keys) {
        expect(await isOpen(portOf(url))).toBe(true);
        terminal.press(key);
        // What is pressed while the question ends is read by it, and lost with it.
        if (key === 'C-d') await terminal.signalsAgain();
      }
      expect((await terminal.finish()).status).toBe(130);
      expect(await isOpen(portOf(url))).toBe(false);
      expect(readdirSync(config)).toEqual([]);
    } finally {
      terminal.close();
    }
  });
});
