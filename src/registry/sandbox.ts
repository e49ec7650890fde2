import { sandboxRun } from '../commands/sandbox/run.ts';
import { sandboxStart } from '../commands/sandbox/start.ts';
import { sandboxStatus } from '../commands/sandbox/status.ts';

export const commands = [sandboxStart, sandboxRun, sandboxStatus];
