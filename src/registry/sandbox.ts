import { sandboxRun } from '../commands/sandbox/run.ts';
import { sandboxStart } from '../commands/sandbox/start.ts';

export const commands = [sandboxStart, sandboxRun];
