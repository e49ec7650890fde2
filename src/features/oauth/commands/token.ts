import { textCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';

export const oauthToken = textCommand({
  id: 'oauth token',
  suggestFor: ['print-access-token'],
  summary: 'Print the access token for a script',
  description:
    'Prints the token on one line. svc first refreshes a stored login that is about to expire. The token of SVC_WEBHOOKS_TOKEN, webhooks.tokenFile or webhooks.tokenCommand is printed as it is.',
  effect: 'read',
  service: 'webhooks',
  flags: { force: { type: 'boolean', help: 'Print the token even on a terminal' } },
  examples: [
    { run: 'svc oauth token | pbcopy', why: 'Copy it to the clipboard on macOS' },
    {
      run: 'svc oauth token | sed "s/^/Authorization: Bearer /" | curl -H @- https://webhooks.example.com/v1/webhooks',
      why: 'Call the service with curl, with no token on its command line',
    },
  ],
  output: { kind: 'text' },
  async run({ force }, ctx) {
    if (ctx.wants.terminal && !force) {
      throw new SvcError(
        'usage',
        'svc does not print a token on a terminal, where others and the scrollback may keep it',
        { hint: 'pipe the output to another program, or pass --force' },
      );
    }
    const { target } = ctx;
    const { authorization = '' } = { ...target.headers, ...(await target.authorizer?.header()) };
    return { value: authorization.replace('Bearer ', '') };
  },
});
