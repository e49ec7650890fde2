import { textCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { requireSetting } from '../settings.ts';

export const configGet = textCommand({
  id: 'config get',
  summary: 'Print the value of one setting',
  description:
    'Prints the value in effect: from the variable, the profile or the default, in this order. Exits 5 if there is none.',
  effect: 'read',
  repairsSettings: true,
  args: { key: { help: 'Key, as shown by svc config list', required: true, complete: 'settings' } },
  exits: ['not_found'],
  examples: [{ run: 'svc config get alerts.url', why: 'Print the address of the alert manager' }],
  output: { kind: 'text' },
  run: async ({ key }, ctx) => {
    requireSetting(key);
    if (ctx.settings.failure !== undefined) throw ctx.settings.failure;
    const value = ctx.settings.get(key);
    if (value === undefined) {
      throw new SvcError('not_found', `${key} is not set`, { hint: `set it with: svc config set ${key} <value>` });
    }
    return { value };
  },
});
