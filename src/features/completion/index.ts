import type { Group } from '../../cli/command.ts';

export const completion: Group = {
  name: 'completion',
  summary: 'Complete svc with <Tab> in your shell',
  description:
    'bash, in ~/.bashrc: eval "$(svc completion bash)"\nzsh, in ~/.zshrc after compinit: eval "$(svc completion zsh)"\nfish: svc completion fish > ~/.config/fish/completions/svc.fish\nPowerShell, in $PROFILE: svc completion powershell | Out-String | iex\nNames of receivers, alerts and silences are those that svc showed at a terminal within the last minute: <Tab> makes no request.',
  commands: {
    bash: async () => (await import('./commands/bash.ts')).completionBash,
    zsh: async () => (await import('./commands/zsh.ts')).completionZsh,
    fish: async () => (await import('./commands/fish.ts')).completionFish,
    powershell: async () => (await import('./commands/powershell.ts')).completionPowerShell,
  },
};
