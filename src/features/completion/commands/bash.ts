import { textCommand } from '../../../cli/command.ts';

export const completionBash = textCommand({
  id: 'completion bash',
  summary: 'Print the script that completes svc in bash',
  description:
    'For bash 3.2 and newer. Put this into ~/.bashrc:\neval "$(svc completion bash)"\nWith the package bash-completion it can be a file instead, named ~/.local/share/bash-completion/completions/svc.',
  effect: 'read',
  examples: [{ run: 'svc completion bash > svc.bash', why: 'Keep it in a file' }],
  output: { kind: 'text' },
  run: async () => ({ value: (await import('../../../../completions/svc.bash?raw')).default }),
});
