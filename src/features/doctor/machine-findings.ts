/** What svc runs on: Node.js, the locale, the terminal, and whether the shell completes its command lines. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
// biome-ignore lint/style/noRestrictedImports: which Node.js runs this is a fact of the machine, and of no context
import { version } from 'node:process';
import type { RunContext } from '../../cli/command.ts';
import { bad, type Finding, ok, skipped, warn } from '../../cli/findings.ts';

type Machine = Pick<RunContext, 'env' | 'groups' | 'wants' | 'settings'>;

export async function machineFindings(ctx: Machine): Promise<readonly Finding[]> {
  return [nodeFinding(), localeFinding(ctx), terminalFinding(ctx), await completionFinding(ctx)];
}

const OLDEST_NODE = [20, 19] as const;

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  const common = { check: 'node', about: null };
  const [least, from] = OLDEST_NODE;
  if (major > least || (major === least && minor >= from)) return { ...common, ...ok(`Node.js ${version}`) };
  return { ...common, ...bad(`Node.js ${version} is older than ${least}.${from}`, 'install a newer Node.js') };
}

function localeFinding({ env }: Machine): Finding {
  const common = { check: 'locale', about: null };
  const name = ['LC_ALL', 'LC_CTYPE', 'LANG'].find((variable) => env[variable]);
  if (name === undefined) return { ...common, ...ok('none is set: UTF-8 is taken for granted') };
  const locale = `${name}=${env[name]}`;
  if (/utf-?8/i.test(env[name] ?? '')) return { ...common, ...ok(locale) };
  return { ...common, ...warn(`${locale} is not UTF-8: charts are drawn in ASCII`, 'export LC_ALL=C.UTF-8') };
}

function terminalFinding({ env, wants, settings }: Machine): Finding {
  const common = { check: 'terminal', about: null };
  if (!wants.terminal)
    return { ...common, ...ok('the output goes to a pipe or a file: no colour, and nothing shortened') };
  const off = ['NO_COLOR'].find((name) => env[name]) ?? (env['CLICOLOR'] === '0' ? 'CLICOLOR=0' : undefined);
  const never = settings.resolve('color').value === 'never' ? 'the setting color' : off;
  const term = `TERM=${env['TERM'] ?? ''}`;
  if (!env['TERM'] || env['TERM'] === 'dumb') return { ...common, ...ok(`${term}: no colour`) };
  return { ...common, ...ok(never === undefined ? `${term}, with colour` : `${term}, without colour (${never})`) };
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Read at each start of the shell: never stale. */
const STARTED: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['.bashrc', '.bash_profile', '.profile'],
  zsh: ['.zshrc'],
  fish: ['.config/fish/config.fish'],
};
const KEPT: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['.local/share/bash-completion/completions/svc', '.bash_completion.d/svc'],
  zsh: ['.zfunc/_svc', '.zsh/completions/_svc', '.oh-my-zsh/completions/_svc', '.local/share/zsh/site-functions/_svc'],
  fish: ['.config/fish/completions/svc.fish'],
};
const INSTALL: Readonly<Record<Shell, string>> = {
  bash: `echo 'eval "$(svc completion bash)"' >> ~/.bashrc`,
  zsh: `echo 'eval "$(svc completion zsh)"' >> ~/.zshrc`,
  fish: 'svc completion fish > ~/.config/fish/completions/svc.fish',
};

async function completionFinding({ env, groups }: Machine): Promise<Finding> {
  const shell = SHELLS.find((name) => env['SHELL']?.split('/').at(-1) === name);
  const home = env['HOME'];
  if (shell === undefined || !home) {
    return { check: 'completion', about: null, ...skipped('the shell is none that is known: svc completion --help') };
  }
  const common = { check: 'completion', about: shell };
  const started = STARTED[shell].find((file) => textOf(join(home, file))?.includes(`svc completion ${shell}`));
  if (started !== undefined) return { ...common, ...ok(`made at each start of the shell, by ~/${started}`) };
  for (const file of KEPT[shell]) {
    const kept = textOf(join(home, file));
    if (kept === undefined) continue;
    if (kept === (await script(shell, groups))) return { ...common, ...ok(`~/${file} is of this version`) };
    return { ...common, ...warn(`~/${file} is of another version`, `svc completion ${shell} > ~/${file}`) };
  }
  return { ...common, ...skipped('not found among the files of the shell', INSTALL[shell]) };
}

async function script(shell: Shell, groups: RunContext['groups']): Promise<string> {
  const model = await (await import('../../cli/completion/model.ts')).completionModel(groups);
  switch (shell) {
    case 'bash':
      return (await import('../../cli/completion/bash.ts')).bashScript(model);
    case 'zsh':
      return (await import('../../cli/completion/zsh.ts')).zshScript(model);
    case 'fish':
      return (await import('../../cli/completion/fish.ts')).fishScript(model);
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
