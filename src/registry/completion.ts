import { completionBash } from '../commands/completion/bash.ts';
import { completionFish } from '../commands/completion/fish.ts';
import { completionPowerShell } from '../commands/completion/powershell.ts';
import { completionZsh } from '../commands/completion/zsh.ts';

export const commands = [completionBash, completionZsh, completionFish, completionPowerShell];
