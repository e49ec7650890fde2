import type { Group } from '../../cli/command.ts';

export const doctor: Group = {
  name: 'doctor',
  single: true,
  summary: 'Look for what keeps svc from working, and say what to do',
  commands: {
    doctor: async () => (await import('./commands/doctor.ts')).doctor,
  },
};
