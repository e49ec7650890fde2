import { recordCommand } from '../../../cli/command.ts';
import { FILE } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { SERVICES } from '../../../store/profile-environment.ts';
import { ANY_ANSWER, printedAnswer, rawCall } from '../raw-answer.ts';
import { rawBody, rawPath } from '../raw-request.ts';

export const api = recordCommand({
  id: 'api',
  summary: 'Send any request to a service',
  description:
    "Uses the sign-in, certificates, proxies, limits and exit statuses of svc's own commands. svc adds the base path of the service (/api/v2 for alerts, /v1 for webhooks). Requests other than GET need confirmation and are sent once; exit status 8 if the response is lost.",
  details:
    'Prints JSON exactly as the service wrote it, and a table with -o table. Another response is printed as a JSON string; with -o table in a pipe, byte for byte. With --include, JSON has status, headers (redacted) and body.\nFields make a JSON object; for trade they make a form, sent in a session of its own. A request other than GET is treated as an order: svc confirms it as one (by typing the account if trade.live is set) and writes it to svc trade journal before sending it.',
  effect: 'write',
  callOf: ({ service, method }) => ({ service, effect: method === 'GET' ? 'read' : 'write' }),
  defaultFormat: 'json',
  args: {
    service: { help: 'Service', required: true, choices: SERVICES },
    method: { help: 'Method', required: true, choices: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    path: { help: 'Path below the base path; may have a query', required: true },
  },
  flags: {
    field: { type: 'string', short: 'f', repeat: true, value: 'name=text', help: 'Field of the body' },
    'field-json': { type: 'string', repeat: true, value: 'name=json', help: 'Field of the body, as JSON' },
    body: { ...FILE, help: 'Body from a file (-: stdin)' },
    param: { type: 'string', short: 'p', repeat: true, value: 'name=value', help: 'Query parameter' },
    include: { type: 'boolean', short: 'i', help: 'Also print status and headers' },
  },
  examples: [
    { run: 'svc api alerts GET /status', why: 'Show the status of Alertmanager' },
    {
      run: 'svc api alerts GET /alerts -p filter=\'team="db"\' --fields labels',
      why: 'Filter alerts; svc encodes the parameters',
    },
    { run: 'svc api webhooks POST /webhooks/ep_1/test --dry-run=curl', why: 'Print a request as a curl command' },
    { run: 'svc api trade POST /trading/subscribe -f models=Order --yes', why: 'Send a form in a trading session' },
  ],
  output: ANY_ANSWER,
  async run({ service, method, path, param, include, ...input }, ctx) {
    const asked = rawPath(path, service, param);
    const body = await rawBody(input, service === 'trade', ctx);
    const changes = method !== 'GET';
    if (!changes && body !== undefined) {
      throw new SvcError('usage', 'a GET has no body', { hint: 'pass query parameters as -p name=value' });
    }
    const question = `Send ${method} ${ctx.target.baseUrl.href.replace(/\/$/, '')}${asked.whole}?`;
    // A dry run is about the request itself, and so shows a read, too.
    const unchanging = ctx.dryRun ? 'write' : 'read';
    const effect = changes ? 'destroy' : unchanging;
    const endpoint = { method, path: asked.path, effect, encoding: body?.encoding ?? 'json' } as const;
    const values = { query: asked.query, body: body?.body };
    if (service !== 'trade') {
      const confirmed = changes ? await ctx.confirm(question) : undefined;
      const answer = await rawCall(ctx, endpoint, values, confirmed);
      if (answer instanceof Plan) return { value: answer };
      return printedAnswer(answer, { include, unread: ctx.wants.rawJson });
    }
    const { confirmRawTrade, rawTrade } = await import('../../trade/raw-trade.ts');
    const confirmed = changes ? await confirmRawTrade(asked.path, body?.body, question, ctx) : undefined;
    const raw = await rawTrade(ctx, endpoint, values, confirmed);
    if (raw instanceof Plan) return { value: raw };
    const { answer, refused } = raw;
    if (refused !== undefined) ctx.notice(refused.message);
    if (refused?.hint !== undefined) ctx.notice(`hint: ${refused.hint}`);
    return { ...(await printedAnswer(answer, { include, unread: ctx.wants.rawJson })), code: refused?.code };
  },
});
