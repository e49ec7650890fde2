/** Requests the authorization URL without cookies: a server that has forgotten the client says so on a page that svc never sees. */
import type { FailedAnswer } from '../../http/answers.ts';
import type { Target } from '../../http/target.ts';
import type { Authorization } from './authorization.ts';
import { protocolRequest } from './protocol-request.ts';
import { isOfClient } from './refresh.ts';

const PROBE_MS = 5_000;

/** What another client, or a browser with cookies, cannot change. The other errors of RFC 6749 §4.1.2.1 may end differently there. */
const FINAL = ['invalid_request', 'invalid_scope', 'unsupported_response_type'];

/** How servers say on their pages that they do not know the client. */
const UNKNOWN_CLIENT = [
  /\b(?:invalid|unauthorized|unknown)[_ -]client(?:[_ ]?id)?\b/i,
  /\bno such client\b/i,
  /\bclient(?:[_ ]?id)?\b[^.<>]{0,40}\b(?:unknown|invalid|not (?:be )?(?:known|found|registered|exist)|does(?: not|n't) exist)\b/i,
];

/**
 * True where the server does not know the client. Throws where it refuses this sign-in for good. A probe that fails says nothing, and
 * the sign-in goes on.
 */
export async function isForgotten(target: Target, authorization: Authorization): Promise<boolean> {
  const { url } = authorization;
  const answer = await refusal(target, url);
  if (answer === undefined) return false;
  const { status, headers, text } = answer;
  if (status >= 400) return [400, 401, 403, 404].includes(status) && UNKNOWN_CLIENT.some((one) => one.test(text));
  const location = headers['location'] ?? '';
  if (!URL.canParse(location, url.href)) return false;
  const { search } = new URL(location, url);
  const error = new URLSearchParams(search).get('error') ?? '';
  if (isOfClient(error)) return true;
  // To the callback, with the state of this sign-in: the browser would bring the same.
  const verdict = FINAL.includes(error) ? authorization.judge(search.slice(1)) : undefined;
  if (verdict?.kind === 'over') throw verdict.failure;
  return false;
}

async function refusal(target: Target, url: URL): Promise<FailedAnswer | undefined> {
  let refused: FailedAnswer | undefined;
  try {
    await protocolRequest(
      // A browser has neither the headers of svc nor its credential. The state in the address is no matter for a trace.
      { ...target, headers: {}, secretHeaders: new Set(), log: { ...target.log, level: 0 } },
      {
        method: 'GET',
        effect: 'read',
        url,
        once: true,
        // Not JSON: some servers then answer 200 with the address of their error page.
        accept: 'text/html, */*;q=0.8',
        bodiless: true,
        timeoutMs: PROBE_MS,
        explain: (answer) => {
          refused = answer;
          return undefined;
        },
      },
    );
  } catch {
    target.signal.throwIfAborted();
  }
  return refused;
}
