import { describe, expect, it } from 'vitest';
import { noBrowserReason } from '../../src/cli/browser.ts';

const why = (
  env: Readonly<Record<string, string>>,
  { interactive = true, platform = 'linux' } = {},
): string | undefined => noBrowserReason({ env, interactive }, platform);

const SSH = { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' };

describe('a browser is opened', () => {
  it.each([
    ['on a display', { DISPLAY: ':0' }, {}],
    ['on Wayland', { WAYLAND_DISPLAY: 'wayland-0' }, {}],
    ['from WSL', { WSL_DISTRO_NAME: 'Debian' }, {}],
    ['that BROWSER names, over ssh and without a terminal', { BROWSER: 'firefox', ...SSH }, { interactive: false }],
    ['from an editor on another machine', { VSCODE_IPC_HOOK_CLI: '/x.sock', SSH_TTY: '/dev/pts/1' }, {}],
    ['on macOS', {}, { platform: 'darwin' }],
  ])('%s', (_name, env, options) => {
    expect(why(env, options)).toBeUndefined();
  });
});

describe('no browser is opened', () => {
  it.each([
    ['with BROWSER=none', { DISPLAY: ':0', BROWSER: 'none' }, {}],
    ['without a terminal', { DISPLAY: ':0' }, { interactive: false }],
    ['over ssh', { DISPLAY: ':0', ...SSH }, {}],
    ['over ssh to macOS', SSH, { platform: 'darwin' }],
    ['with an empty display', { DISPLAY: '' }, {}],
  ])('%s', (_name, env, options) => {
    expect(why(env, options)).toMatch(/./);
  });
});
