import { completionBash } from './commands/bash.ts';
import { completionFish } from './commands/fish.ts';
import { completionPowerShell } from './commands/powershell.ts';
import { completionZsh } from './commands/zsh.ts';

export const commands = [completionBash, completionZsh, completionFish, completionPowerShell];
