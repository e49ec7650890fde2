import { sandboxRun } from './commands/run.ts';
import { sandboxStart } from './commands/start.ts';
import { sandboxStatus } from './commands/status.ts';

export const commands = [sandboxStart, sandboxRun, sandboxStatus];
