import { api } from '../commands/api/api.ts';

export const commands = [api];
