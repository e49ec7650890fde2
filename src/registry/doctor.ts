import { doctor } from '../commands/doctor/doctor.ts';

export const commands = [doctor];
