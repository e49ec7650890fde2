/** What goes wrong between svc and the gateway's Engine.IO, in the user's words. Its codes are not those of trading requests. */

import { SvcError } from '../../errors.ts';
import { type FailedAnswer, serviceMessage } from '../../http/answers.ts';
import { parseJsonText } from '../../json-object.ts';
import { TOKEN_REFUSED_HINT } from './failed-answer.ts';

export function tokenRefused(host: string, words: string): SvcError {
  const said = words === '' ? '' : `: ${words}`;
  return new SvcError('unauthorized', `${host} refused the token${said}`, { hint: TOKEN_REFUSED_HINT });
}

/** The reading of an answer of 400 and above on the path of Engine.IO, with its codes as seen on the public implementation. */
export function explainEngine(answer: FailedAnswer, host: string): SvcError | undefined {
  const { status } = answer;
  const details = { httpStatus: status };
  if (status === 401 || status === 403) {
    return new SvcError('unauthorized', `${host} refused the token with status ${status}`, {
      hint: TOKEN_REFUSED_HINT,
      ...details,
    });
  }
  if (status === 404 || status === 405) {
    return new SvcError('wrong_path', `${host} has no /socket.io/: the address answers, but not as a trading gateway`, {
      hint: 'check the address and the path in it',
      ...details,
    });
  }
  if (status !== 400) return undefined;
  const code = engineCode(answer.text);
  const known = code === undefined ? undefined : CODES[code];
  if (known !== undefined) return new SvcError(known[0], `${host} ${known[1]}`, details);
  const words = serviceMessage(answer);
  return new SvcError('bad_answer', `${host} refused the connection${words === '' ? '' : `: ${words}`}`, details);
}

const CODES: Readonly<Record<number, readonly [code: 'connection_lost' | 'bad_answer', text: string]>> = {
  0: ['bad_answer', 'does not have this transport'],
  1: ['connection_lost', 'does not know the connection id any more'],
  2: ['bad_answer', 'took the request to connect for a malformed one'],
  3: ['bad_answer', 'took a request within the connection for a malformed one'],
  4: ['bad_answer', 'does not let this program connect'],
  5: ['bad_answer', 'speaks a later version of Engine.IO only'],
};

function engineCode(text: string): number | undefined {
  try {
    const { code } = parseJsonText(text) as { readonly code?: unknown };
    return typeof code === 'number' ? code : undefined;
  } catch {
    return undefined;
  }
}
