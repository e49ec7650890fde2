import { doctor } from './commands/doctor.ts';

export const commands = [doctor];
