/** What the gateway's refusals mean: those with status 200, and those of 400 and above. */
import { type ErrorCode, type ErrorDetails, SvcError } from '../../errors.ts';
import { type FailedAnswer, serviceMessage } from '../../http/answers.ts';
import type { EndpointShape } from '../../http/endpoint.ts';
import { redactText } from '../../http/redact.ts';
import { RATE_EXCEEDED, type TradingError, tradingError } from './envelope.ts';

/** Why a token is refused, as far as the document tells (doc 3 §5). */
export const TOKEN_REFUSED_HINT =
  'the token is wrong or was revoked, or it is of a live account without API access (the provider grants that on request; demo accounts have it): svc trade login';

const LONGEST = 300;

/** The gateway's own, without secrets and not for ever. */
export function refusalWords({ message }: TradingError): string {
  return redactText([...message].slice(0, LONGEST).join(''));
}

/** `executed: false`, or an error beside a read: what was asked for was not done. */
export function refusal(error: TradingError | undefined, asked: string): SvcError {
  if (error === undefined) return new SvcError('refused', `the gateway refused ${asked} and gave no reason`);
  const { code, ora, cmd, requestId } = error;
  const words = refusalWords(error);
  const kind = kindOf(error);
  const server = code ?? (ora === undefined ? undefined : `ORA-${ora}`);
  const details: ErrorDetails = {
    ...(HINTS[kind] === undefined ? {} : { hint: HINTS[kind] }),
    more: { server_code: server, cmd, request_id: requestId },
  };
  return new SvcError(
    kind,
    `the gateway refused ${asked}: ${words}${code === undefined ? '' : ` (code ${code})`}`,
    details,
  );
}

/** The session was let in with this token, so the token itself is good. */
const NOT_THE_TOKEN =
  'the session was let in with this token, so it was lost or is held back: wait a little, and look with svc trade status --check';

const HINTS: Partial<Record<ErrorCode, string>> = {
  unauthorized: NOT_THE_TOKEN,
  limited: 'svc trade limits shows the next free slot',
};

function kindOf({ ora, message }: TradingError): ErrorCode {
  if (ora === RATE_EXCEEDED || /number of API requests .*exceeded/i.test(message)) return 'limited';
  if (/^(unauthori[sz]ed|not authori[sz]ed)\b/i.test(message) || ora === 20103) return 'unauthorized';
  if (ora === 20102) return 'forbidden';
  return 'refused';
}

/** For the transport. Undefined where the common reading of a status is right. */
export function explainTrading(
  answer: FailedAnswer,
  { method, path }: Pick<EndpointShape, 'method' | 'path'>,
): SvcError | undefined {
  const { status } = answer;
  if (status !== 401 && status !== 403 && status !== 404) return undefined;
  const said = tradingError(parsed(answer.text));
  const words = said?.message ?? serviceMessage(answer);
  if (status === 404) {
    return new SvcError(
      'wrong_path',
      `${method} ${path} is not known there${words === '' ? '' : `: ${redactText(words)}`}`,
      {
        hint: 'check --base-url',
        httpStatus: 404,
      },
    );
  }
  const limited = said !== undefined && kindOf(said) === 'limited';
  const code: ErrorCode = limited ? 'limited' : status === 401 ? 'unauthorized' : 'forbidden';
  const hint = limited ? HINTS['limited'] : TOKEN_REFUSED_HINT;
  return new SvcError(code, `the gateway refused: ${redactText(words) || `status ${status}`}`, {
    ...(hint === undefined ? {} : { hint }),
    httpStatus: status,
  });
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}
