import type { Commands } from '../../cli/command.ts';

export const commands: Commands = {
  bash: async () => (await import('./commands/bash.ts')).completionBash,
  zsh: async () => (await import('./commands/zsh.ts')).completionZsh,
  fish: async () => (await import('./commands/fish.ts')).completionFish,
  powershell: async () => (await import('./commands/powershell.ts')).completionPowerShell,
};
