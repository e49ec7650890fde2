import type { Command } from '../cli/command.ts';

export const commands: readonly Command[] = [];
