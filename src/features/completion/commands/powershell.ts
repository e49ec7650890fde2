import { textCommand } from '../../../cli/command.ts';

export const completionPowerShell = textCommand({
  id: 'completion powershell',
  summary: 'Print the script that completes svc in PowerShell',
  description: 'Put this into the file that $PROFILE names:\nsvc completion powershell | Out-String | iex',
  effect: 'read',
  examples: [{ run: 'svc completion powershell > svc.ps1', why: 'Keep it in a file' }],
  output: { kind: 'text' },
  run: async () => ({ value: (await import('../../../../completions/svc.ps1?raw')).default }),
});
