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
    ['on macOS', {}, 'darwin'],
    ['on Windows', {}, 'win32'],
  ])('%s', (_name, env, platform) => {
    expect(why(env, { platform })).toBeUndefined();
  });
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
