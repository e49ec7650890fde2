import type { Command } from '../cli/command.ts';
import { webhooksSign } from '../commands/webhooks/sign.ts';

export const commands: readonly Command[] = [webhooksSign];
