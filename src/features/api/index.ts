import { api } from './commands/api.ts';

export const commands = [api];
