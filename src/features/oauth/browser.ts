/** Whether it makes sense to open a browser here. */
import type { RunContext } from '../../cli/command.ts';

type Place = Pick<RunContext, 'env' | 'interactive'>;

/** Why not, or undefined. `wanted` is false with --no-browser. */
export function whyNoBrowser({ env, interactive }: Place, wanted: boolean, platform: string): string | undefined {
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
