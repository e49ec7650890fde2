import { describe, expect, it } from 'vitest';
import { noBrowserReason } from '../../src/cli/browser.ts';

const why = (
  env: Readonly<Record<string, string>>,
  { interactive = true, platform = 'linux' } = {},
): string | undefined => noBrowserReason({ env, interactive }, platform);

describe('a browser is opened', () => {
  it.each([
    ['on a display', { DISPLAY: ':0' }, 'linux'],
    ['on Wayland', { WAYLAND_DISPLAY: 'wayland-0' }, 'linux'],
    ['from WSL', { WSL_DISTRO_NAME: 'Debian' }, 'linux'],
    ['that is named', { BROWSER: 'firefox' }, 'linux'],
    ['that is named, over ssh', { BROWSER: 'firefox', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, 'linux'],
    ['from an editor on another machine', { VSCODE_IPC_HOOK_CLI: '/x.sock', SSH_TTY: '/dev/pts/1' }, 'linux'],
    ['on macOS', {}, 'darwin'],
    ['on Windows', {}, 'win32'],
  ])('%s', (_name, env, platform) => {
    expect(why(env, { platform })).toBeUndefined();
  });
});

it('opens the browser that is named without a terminal, too', () => {
  expect(why({ BROWSER: 'firefox' }, { interactive: false })).toBeUndefined();
});

describe('no browser is opened', () => {
  it.each([
    ['with BROWSER=none', { DISPLAY: ':0', BROWSER: 'none' }, {}],
    ['without a terminal', { DISPLAY: ':0' }, { interactive: false }],
    ['over ssh', { DISPLAY: ':0', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, {}],
    ['over ssh to macOS', { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, { platform: 'darwin' }],
    ['without a display', {}, {}],
    ['with an empty display', { DISPLAY: '' }, {}],
  ])('%s', (_name, env, options) => {
    expect(why(env, options)).toMatch(/./);
  });
});
