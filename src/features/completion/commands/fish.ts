import { textCommand } from '../../../cli/command.ts';

export const completionFish = textCommand({
  id: 'completion fish',
  summary: 'Print the script that completes svc in fish',
  description:
    'For fish 3.1 and newer, which reads it when it is needed:\nsvc completion fish > ~/.config/fish/completions/svc.fish',
  effect: 'read',
  examples: [{ run: 'svc completion fish > svc.fish', why: 'Keep it in a file' }],
  output: { kind: 'text' },
  run: async () => ({ value: (await import('../../../../completions/svc.fish?raw')).default }),
});
