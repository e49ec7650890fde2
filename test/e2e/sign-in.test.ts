/** `svc oauth login` of the built binary: signals, standard input that never ends, a browser that is not there, a real terminal. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOpen } from '../features/oauth/raw.ts';
import { browse, type OidcServer, startOidc } from '../support/oidc.ts';
import { freePorts } from '../support/ports.ts';
import { HOME, startSvc, svc } from './binary.ts';
import { named, noTmux, ShellTerminal } from './terminal.ts';

let server: OidcServer;
beforeAll(async () => {
  server = await startOidc();
});
afterAll(() => server.close());

const home = (): string => mkdtempSync(join(HOME, 'login-'));

async function begin(config: string, args: readonly string[] = [], input?: string | 'open') {
  const env = { SVC_WEBHOOKS_URL: server.url, SVC_CONFIG_DIR: config };
  const way = args.includes('--callback-port') ? [] : ['--paste'];
  const run = startSvc(['oauth', 'login', ...way, ...args], { env, ...(input === undefined ? {} : { input }) });
  await run.printed('response_type=code');
  return { run, url: addressIn(run.texts.stderr) };
}

function addressIn(text: string): URL {
  return new URL(/^http:\S+response_type=\S+/m.exec(text)?.[0] ?? '');
}

const portOf = (url: URL): number => Number(new URL(url.searchParams.get('redirect_uri') ?? '').port);

it('SIGTERM ends it: nothing is written, and the port is free', async () => {
  const config = home();
  const { run, url } = await begin(config, ['-o', 'json'], 'open');
  run.child.kill('SIGTERM');
  expect((await run.ended).code).toBe(143);
  expect(run.texts.stdout).toBe('');
  expect(await isOpen(portOf(url))).toBe(false);
  expect(readdirSync(config)).toEqual([]);
});

it.each([
  ['is not read', true, 'open'],
  ['has ended with --paste', false, undefined],
] as const)('standard input that %s neither blocks nor ends it', async (_name, isForwarded, input) => {
  const config = home();
  const args = isForwarded ? ['--callback-port', String(await freePorts())] : [];
  const { run, url } = await begin(config, args, input);
  expect((await browse(url)).status).toBe(200);
  expect((await run.ended).code).toBe(0);
  expect(readdirSync(config)).toEqual(['credentials.json']);
});

it('an address from a pipe signs in, and is not shown', async () => {
  const config = home();
  const { run, url } = await begin(config, ['--debug'], 'open');
  const port = String(portOf(url));
  const { url: redirected } = await browse(url, (to) => to.port === port);
  run.child.stdin?.write(`${redirected}\n`);
  expect((await run.ended).code).toBe(0);
  expect(await isOpen(Number(port))).toBe(false);
  const code = new URL(redirected).searchParams.get('code') ?? '';
  expect(code).not.toBe('');
  expect(run.texts.stdout + run.texts.stderr).not.toContain(code);
});

it('without a terminal and a browser it ends at once, and says what to do', async () => {
  const env = { SVC_WEBHOOKS_URL: server.url, SVC_CONFIG_DIR: home() };
  const run = await svc(['oauth', 'login'], { env });
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toContain('use --paste or a forwarded --callback-port');
});

describe('BROWSER', () => {
  const folder = home();
  /** Writes its arguments, one per line, and then says that there is no browser, so that a test knows when it has run. */
  const program = (name: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" > "$OPENED"\nexit 3\n`, { mode: 0o755 });
    return path;
  };
  const open = async (browser: string, url: string) => {
    const OPENED = join(home(), 'opened');
    const SSH_CONNECTION = '192.0.2.1 1 192.0.2.2 22';
    const env = { BROWSER: browser, OPENED, SSH_CONNECTION, SVC_WEBHOOKS_URL: url, SVC_CONFIG_DIR: home() };
    const run = startSvc(['oauth', 'login'], { env });
    await run.printed('ended with status 3; open the address yourself');
    const given = readFileSync(OPENED, 'utf8').trimEnd().split('\n');
    return { run, given, address: addressIn(run.texts.stderr) };
  };

  it('is a command with a placeholder, whose program may have a blank in its path, over ssh too', async () => {
    const { run, given, address } = await open(`'${program('a browser')}' --app=%s "last one"`, server.url);
    await browse(address);
    expect((await run.ended).code).toBe(0);
    expect(given).toEqual([`--app=${address.href}`, 'last one']);
  });

  it('is never read by a shell', async () => {
    const authorization_endpoint = `${server.url}/oauth/authorize?a=$(touch%20x);\`id\``;
    const odd = await startOidc({ metadata: { authorization_endpoint } });
    const { run, given, address } = await open(`${program('five')} $HOME %s`, odd.url);
    await run.kill('SIGTERM');
    await odd.close();
    expect(given).toEqual(['$HOME', address.href]);
  });
});

describe.skipIf(noTmux)(named('at a terminal', noTmux), () => {
  const programs = join(HOME, 'programs');
  let terminal: ShellTerminal;
  beforeAll(() => {
    mkdirSync(programs);
    // Started without a shell, with the address as its one argument.
    const script = `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > "$OPENED"\nexit "$XDG_STATUS"\n`;
    writeFileSync(join(programs, 'xdg-open'), script, { mode: 0o755 });
  });

  const open = (config: string, more: Readonly<Record<string, string>>): ShellTerminal => {
    const PATH = [programs, join(HOME, 'commands'), process.env['PATH']].join(delimiter);
    return new ShellTerminal(100, 30, {
      ...{ PATH, SVC_WEBHOOKS_URL: server.url, SVC_CONFIG_DIR: config, OPENED: join(config, 'opened') },
      ...{ BROWSER: 'xdg-open', XDG_STATUS: '0', NO_COLOR: '1', ...more },
    });
  };
  const address = async (): Promise<URL> => {
    await terminal.showsLines((lines) => lines.some((line) => line.includes('paste the address')));
    return addressIn(terminal.lines(true).join('\n'));
  };

  it('says that no browser could be opened, accepts a pasted address without echo, and restores the terminal', async () => {
    const config = home();
    terminal = open(config, { XDG_STATUS: '3' });
    try {
      const { lines: before } = await terminal.run('stty -a');
      terminal.begin('svc oauth login');
      const url = await address();
      await terminal.showsLines((lines) => lines.join('').includes('ended with status 3; open the address yourself'));
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

  it('has a question that the end of input ends alone, and Ctrl-C ends all, with the port free', async () => {
    const config = home();
    terminal = open(config, { BROWSER: 'none' });
    try {
      terminal.begin('svc oauth login');
      const url = await address();
      for (const key of ['C-d', 'C-c']) {
        expect(await isOpen(portOf(url))).toBe(true);
        terminal.press(key);
        // What is pressed while the question ends is read by it, and lost with it.
        if (key === 'C-d') await terminal.until(() => /(?<!-)\bisig\b/.test(terminal.settings()) || undefined);
      }
      expect((await terminal.finish()).status).toBe(130);
      expect(await isOpen(portOf(url))).toBe(false);
      expect(readdirSync(config)).toEqual([]);
    } finally {
      terminal.close();
    }
  });
});
