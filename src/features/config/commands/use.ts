import { textCommand } from '../../../cli/command.ts';
import { didYouMean } from '../../../cli/lookup.ts';
import { SvcError } from '../../../errors.ts';
import { profileNames, profileValues } from '../../../store/settings.ts';
import { changeSettings } from '../../../store/settings-editor.ts';

export const configUse = textCommand({
  id: 'config use',
  summary: 'Select the profile for later commands',
  description: '--profile and SVC_PROFILE override it.',
  effect: 'read',
  repairsSettings: true,
  args: { name: { help: 'Name of the profile', required: true, complete: 'profiles' } },
  examples: [{ run: 'svc config use prod', why: 'Use prod from now on' }],
  output: { kind: 'text' },
  run: async ({ name: profile }, ctx) => {
    await changeSettings(ctx.paths, ctx, (document) => {
      if (profileValues(document, profile) !== undefined) return { ...document, profile };
      throw new SvcError(
        'invalid_value',
        `there is no profile "${profile}": ${didYouMean(profile, profileNames(document)).hint}`,
        { hint: 'to create it, set one of its settings: svc config set alerts.url <url> --profile <name>' },
      );
    });
    const other = ctx.env['SVC_PROFILE'];
    const overridden = other !== undefined && other !== '' && other !== profile;
    return { value: profile, footer: overridden ? 'SVC_PROFILE is set, and overrides this choice' : undefined };
  },
});
