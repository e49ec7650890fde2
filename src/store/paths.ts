/** Where `svc` stores its files: the XDG directories, and `%APPDATA%` on Windows. */
import { posix, win32 } from 'node:path';
import type { Context, Paths } from '../context.ts';

/**
 * `SVC_CONFIG_DIR` replaces the configuration directory as given. An XDG variable with a relative path is ignored, as its specification requires, and a home
 * that is not absolute counts as the root: no file is ever found by accident in the working directory.
 */
export function resolvePaths(env: Context['env'], platform: string, home: string): Paths {
  const path = platform === 'win32' ? win32 : posix;
  const absolute = (name: string): string | undefined => {
    const value = env[name];
    return value !== undefined && path.isAbsolute(value) ? value : undefined;
  };
  const base = path.isAbsolute(home) ? home : path.parse(path.resolve('/')).root;
  const own = env['SVC_CONFIG_DIR'];
  const place = (variable: string, otherwise: string): string => {
    const xdg = absolute(variable);
    return xdg === undefined ? otherwise : path.join(xdg, 'svc');
  };
  const windows = platform === 'win32';
  const roaming = absolute('APPDATA') ?? path.join(base, 'AppData', 'Roaming');
  const local = path.join(absolute('LOCALAPPDATA') ?? path.join(base, 'AppData', 'Local'), 'svc');
  const config = windows ? path.join(roaming, 'svc') : path.join(base, '.config', 'svc');
  return {
    config: own ? path.resolve(own) : place('XDG_CONFIG_HOME', config),
    state: place('XDG_STATE_HOME', windows ? path.join(local, 'state') : path.join(base, '.local', 'state', 'svc')),
    cache: place('XDG_CACHE_HOME', windows ? path.join(local, 'cache') : path.join(base, '.cache', 'svc')),
  };
}
