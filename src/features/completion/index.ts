import type { Commands } from '../../cli/command.ts';

export const commands: Commands = {
  bash: async () => (await import('./commands/script.ts')).completionBash,
  zsh: async () => (await import('./commands/script.ts')).completionZsh,
  fish: async () => (await import('./commands/script.ts')).completionFish,
  powershell: async () => (await import('./commands/script.ts')).completionPowerShell,
};
