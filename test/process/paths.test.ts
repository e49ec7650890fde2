import { describe, expect, it } from 'vitest';
import { resolvePaths } from '../../src/process/context.ts';

describe('the folders of svc', () => {
  it('are the XDG directories, with their defaults below the home', () => {
    expect(resolvePaths({}, 'linux', '/home/u')).toEqual({
      config: '/home/u/.config/svc',
      state: '/home/u/.local/state/svc',
    });
    const xdg = { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' };
    expect(resolvePaths(xdg, 'darwin', '/home/u')).toEqual({ config: '/c/svc', state: '/s/svc' });
  });

  it('are the defaults for XDG variables that are relative or empty', () => {
    const env = { XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: '' };
    expect(resolvePaths(env, 'linux', '/home/u')).toEqual(resolvePaths({}, 'linux', '/home/u'));
    expect(resolvePaths({}, 'linux', '').config).toMatch(/^\//);
    expect(resolvePaths({}, 'linux', 'u').config).toMatch(/^\//);
  });

  it('include SVC_CONFIG_DIR unchanged, for the configuration only', () => {
    const env = { SVC_CONFIG_DIR: '/etc/svc-ci', XDG_CONFIG_HOME: '/c' };
    expect(resolvePaths(env, 'linux', '/home/u')).toEqual({
      ...resolvePaths({}, 'linux', '/home/u'),
      config: '/etc/svc-ci',
    });
    expect(resolvePaths({ SVC_CONFIG_DIR: '' }, 'linux', '/home/u').config).toBe('/home/u/.config/svc');
  });

  it('are those of application data on Windows', () => {
    const env = { APPDATA: 'C:\\Users\\u\\Roaming', LOCALAPPDATA: 'C:\\Users\\u\\Local' };
    expect(resolvePaths(env, 'win32', 'C:\\Users\\u')).toEqual({
      config: 'C:\\Users\\u\\Roaming\\svc',
      state: 'C:\\Users\\u\\Local\\svc\\state',
    });
    expect(resolvePaths({}, 'win32', 'C:\\Users\\u').config).toBe('C:\\Users\\u\\AppData\\Roaming\\svc');
  });
});
