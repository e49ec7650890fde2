import { type RunContext, textCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { configuredToken } from '../authorizer.ts';
import { TokenManager } from '../token-manager.ts';

export const oauthToken = textCommand({
  id: 'oauth token',
  summary: 'Print the access token, for a script',
  description:
    'One line with nothing else. A stored login is refreshed first where its token is about to expire. The token of SVC_WEBHOOKS_TOKEN or webhooks.tokenFile is printed as it is.',
  effect: 'read',
  service: 'webhooks',
  flags: { force: { type: 'boolean', help: 'Print it on a terminal, too' } },
  examples: [
    { run: 'svc oauth token | pbcopy', why: 'Take it to the clipboard of a Mac' },
    {
      run: 'svc oauth token | sed "s/^/Authorization: Bearer /" | curl -H @- https://webhooks.example.com/v1/webhooks',
      why: 'Call the service yourself, without the token on a command line',
    },
  ],
  output: { kind: 'text' },
  async run({ force }, ctx) {
    if (ctx.wants.terminal && !force) {
      throw new SvcError('usage', 'a token is not printed on a terminal, where others and its history may keep it', {
        hint: 'pipe it to what needs it, or pass --force',
      });
    }
    return { value: await token(ctx) };
  },
});

async function token(ctx: RunContext): Promise<string> {
  const { target } = ctx; // it checks the environment's, and its address
  if (configuredToken(ctx) !== undefined) {
    const { authorization = '' } = (await target.authorizer?.header()) ?? {};
    return authorization.replace('Bearer ', '');
  }
  return (await new TokenManager(ctx, target, ctx.settings.profile.name).current()).access_token;
}
