/** One command for each shell prints the script of completions/ that the package ships. */
import { type Command, textCommand } from '../../../cli/command.ts';

interface Shell {
  readonly id: string;
  readonly name: string;
  readonly file: string;
  readonly description: string;
  readonly load: () => Promise<{ readonly default: string }>;
}

function scriptCommand({ id, name, file, description, load }: Shell): Command {
  return textCommand({
    id: `completion ${id}`,
    summary: `Print the script that completes svc in ${name}`,
    description,
    effect: 'read',
    examples: [{ run: `svc completion ${id} > ${file}`, why: 'Save it to a file' }],
    output: { kind: 'text' },
    run: async () => ({ value: (await load()).default }),
  });
}

export const completionBash = scriptCommand({
  id: 'bash',
  name: 'bash',
  file: 'svc.bash',
  description:
    'For bash 3.2 and newer. Put this into ~/.bashrc:\neval "$(svc completion bash)"\nWith the package bash-completion it can be a file instead, named ~/.local/share/bash-completion/completions/svc.',
  load: () => import('../../../../completions/svc.bash?raw'),
});

export const completionZsh = scriptCommand({
  id: 'zsh',
  name: 'zsh',
  file: '_svc',
  description:
    'Put this into ~/.zshrc, after compinit:\neval "$(svc completion zsh)"\nIt can be a file instead, named _svc, in a directory of fpath.',
  load: () => import('../../../../completions/_svc?raw'),
});

export const completionFish = scriptCommand({
  id: 'fish',
  name: 'fish',
  file: 'svc.fish',
  description: 'For fish 3.1 and newer:\nsvc completion fish > ~/.config/fish/completions/svc.fish',
  load: () => import('../../../../completions/svc.fish?raw'),
});

export const completionPowerShell = scriptCommand({
  id: 'powershell',
  name: 'PowerShell',
  file: 'svc.ps1',
  description: 'Put this into the file that $PROFILE names:\nsvc completion powershell | Out-String | iex',
  load: () => import('../../../../completions/svc.ps1?raw'),
});
