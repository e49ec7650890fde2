import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { type Confirmed, Plan } from '../../../http/endpoint.ts';
import { ANY_ANSWER, printedAnswer, rawCall } from '../raw-answer.ts';
import { rawBody, rawPath } from '../raw-request.ts';

export const api = recordCommand({
  id: 'api',
  summary: 'Send any request to a service, and print its answer',
  description:
    'For what has no command of its own: the same sign-in, certificates, proxies, limits and redaction, and the same exit statuses. svc adds the base path of the service (/api/v2 for alerts, /v1 for webhooks). Everything but GET is confirmed, and sent once; where its answer is lost the exit status is 8.\nPrints the JSON of the answer as the service wrote it, and a table with -o table; another answer is a JSON text, and its very bytes with -o table in a pipe. With --include JSON: status, headers (redacted), body.\nFields make a JSON object, and a form for trade, which is asked within a session of its own. What may trade is treated as an order: it is confirmed as one (by typing the account where trade.live is set), and written to svc trade journal before it is sent.',
  effect: 'write',
  callOf: ({ service, method }) => ({ service, effect: method === 'GET' ? 'read' : 'write' }),
  defaultFormat: 'json',
  args: {
    service: { help: 'The service', required: true, choices: ['alerts', 'webhooks', 'catalog', 'trade'] },
    method: { help: 'The method', required: true, choices: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    path: { help: 'Below the address and the base path of the service; it may have a query', required: true },
  },
  flags: {
    field: { type: 'string', short: 'f', repeat: true, value: 'name=text', help: 'A field of the body' },
    'field-json': { type: 'string', repeat: true, value: 'name=json', help: 'A field that is no text' },
    body: { type: 'string', value: 'file', complete: 'files', help: 'The body as it is, from a file, or - for stdin' },
    param: { type: 'string', short: 'p', repeat: true, value: 'name=value', help: 'A parameter of the query' },
    include: { type: 'boolean', short: 'i', help: 'Print status and headers, too' },
  },
  examples: [
    { run: 'svc api alerts GET /status', why: 'Everything that the service tells of itself' },
    {
      run: 'svc api alerts GET /alerts -p filter=\'team="db"\' --fields labels',
      why: 'Parameters are encoded for you',
    },
    { run: 'svc api webhooks POST /webhooks/ep_1/test --dry-run=curl', why: 'The same request as a line of curl' },
    { run: 'svc api trade POST /trading/subscribe -f models=Order --yes', why: 'A form, within a session' },
  ],
  output: ANY_ANSWER,
  async run({ service, method, path, param, include, ...input }, ctx) {
    const asked = rawPath(path, service, param);
    const body = await rawBody(input, service === 'trade', ctx);
    const changes = method !== 'GET';
    if (!changes && body !== undefined) {
      throw new SvcError('usage', 'a GET has no body', { hint: 'parameters of the query are -p name=value' });
    }
    const question = `Send ${method} ${ctx.target.baseUrl.href.replace(/\/$/, '')}${asked.whole}?`;
    // A dry run is about the request itself, and so shows a read, too.
    const effect = changes ? 'destroy' : ctx.dryRun ? 'write' : 'read';
    const endpoint = { method, path: asked.path, effect, encoding: body?.encoding ?? 'json' } as const;
    const values = { query: asked.query, body: body?.body };
    if (service !== 'trade') {
      const confirmed = changes ? await ctx.confirm(question) : undefined;
      const answer = await rawCall(ctx, endpoint, values, confirmed);
      if (answer instanceof Plan) return { value: answer };
      return printedAnswer(answer, { include, unread: ctx.wants.rawJson });
    }
    const { confirmRawTrade, mayTrade, rawTrade } = await import('../../trade/raw-trade.ts');
    const confirm = (): Promise<Confirmed> =>
      mayTrade(method, asked.path) ? confirmRawTrade(asked.path, body?.body, question, ctx) : ctx.confirm(question);
    const raw = await rawTrade(ctx, endpoint, values, changes ? await confirm() : undefined);
    if (raw instanceof Plan) return { value: raw };
    const { answer, refused } = raw;
    if (refused !== undefined) ctx.notice(refused.message);
    return { ...(await printedAnswer(answer, { include, unread: ctx.wants.rawJson })), code: refused?.code };
  },
});
