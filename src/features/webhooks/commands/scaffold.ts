import { textCommand } from '../../../cli/command.ts';
import { FRAMEWORKS, SCAFFOLDS } from '../scaffolds.ts';

export const webhooksScaffold = textCommand({
  id: 'webhooks scaffold',
  summary: 'Print a complete webhook receiver',
  description:
    'The receiver listens on 127.0.0.1:3000/hook (or $PORT), takes its secret from $SVC_WEBHOOK_SECRET and passes svc webhooks check-receiver. Its first lines say how to run it.',
  effect: 'read',
  args: { framework: { help: 'Framework of the receiver', required: true, choices: FRAMEWORKS } },
  examples: [
    { run: 'svc webhooks scaffold express > receiver.mjs', why: 'For Node.js' },
    { run: 'svc webhooks scaffold flask > receiver.py', why: 'For Python' },
  ],
  output: { kind: 'text' },
  run: async ({ framework }) => ({ value: SCAFFOLDS[framework] }),
});
