import { textCommand } from '../../../cli/command.ts';

export const completionZsh = textCommand({
  id: 'completion zsh',
  summary: 'Print the script that completes svc in zsh',
  description:
    'Put this into ~/.zshrc, after compinit:\neval "$(svc completion zsh)"\nIt can be a file instead, named _svc, in a directory of fpath.',
  effect: 'read',
  examples: [{ run: 'svc completion zsh > _svc', why: 'Keep it in a file' }],
  output: { kind: 'text' },
  run: async () => ({ value: (await import('../../../../completions/_svc?raw')).default }),
});
