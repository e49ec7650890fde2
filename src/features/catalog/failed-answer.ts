/**
 * What the catalog's error responses mean. Doc 3 shows none, so these are as seen on the public
 * implementation: `detail` as a text or a list, a plain text, and the text of a database.
 */
import { SvcError } from '../../errors.ts';
import { answerFailure, credentialFailure, type FailedAnswer, serviceMessage } from '../../http/answers.ts';
import type { EndpointShape } from '../../http/endpoint.ts';
import { redactText } from '../../http/redact.ts';
import { isObject, tryParseJson } from '../../json-object.ts';

type Call = Pick<EndpointShape, 'method' | 'path' | 'effect'>;

/** `basePath` is that of the base URL: `/` for most. */
export function explainCatalog(answer: FailedAnswer, endpoint: Call, basePath = '/'): SvcError | undefined {
  const { status } = answer;
  const { method, path } = endpoint;
  const text = textOf(answer);
  // An id can only be wrong where one was sent: else a part of the base URL was taken for one.
  if (!path.includes('{') && (isPathFault(answer, text) || (status === 404 && Object.hasOwn(MISSING, text)))) {
    return wrongPath(answer, `the service took ${method} ${path} for another resource: ${text}`, basePath);
  }
  switch (status) {
    case 400:
    case 422:
      return explainRefusal(answer, text, endpoint);
    case 405:
      return wrongPath(answer, `the service does not allow ${method} ${path}`, basePath);
    case 401:
      return explainCredential(answer, text);
    case 404:
      return explainMissing(answer, text) ?? explainUnknown(answer, text, endpoint, basePath);
    case 500:
      if (text !== FAILED || path === '/healthz') return undefined;
      return answerFailure(answer, 'server_error', `${method} ${path} answered 500: ${text}`, ASK_HEALTH);
    case 503:
      if (!text.startsWith(NO_DATA)) return undefined;
      return answerFailure(
        answer,
        'server_error',
        `the catalog cannot read its data: ${text.slice(NO_DATA.length).trim()}`,
      );
    default:
      return undefined;
  }
}

function wrongPath(answer: FailedAnswer, text: string, basePath: string): SvcError {
  const message = basePath === '/' ? text : `${text} (the path of the base URL is ${basePath})`;
  return answerFailure(answer, 'wrong_path', message, CHECK_PATH);
}

function explainRefusal(answer: FailedAnswer, text: string, { path }: Call): SvcError {
  const message = `the catalog refused the request: ${text || `status ${answer.status}`}`;
  return answerFailure(answer, 'refused', message, refusalHint(text, path));
}

function explainCredential(answer: FailedAnswer, text: string): SvcError {
  const { credentialSource: source } = answer;
  return credentialFailure(answer, 'the catalog', text, source === undefined ? TOKEN : `check ${source}`);
}

function explainMissing({ status }: FailedAnswer, text: string): SvcError | undefined {
  const missing = Object.hasOwn(MISSING, text) ? MISSING[text] : undefined;
  if (missing === undefined) return undefined;
  const [message, hint] = missing;
  const reason = text === 'product_not_found' ? 'unknown_product' : undefined;
  return new SvcError('not_found', message, { httpStatus: status, hint, reason });
}

/** Whether the id or the path is wrong: only another request can tell. */
function explainUnknown(answer: FailedAnswer, text: string, { method, path }: Call, basePath: string): SvcError {
  const reason = path.includes('{') ? 'unclear_404' : undefined;
  const unknown = `the service does not know ${method} ${path}: ${text || 'no reason given'}`;
  const { message, hint } = wrongPath(answer, unknown, basePath);
  return new SvcError('wrong_path', message, { httpStatus: answer.status, hint, reason });
}

const CHECK_PATH = 'check the base URL: svc adds the paths of the catalog to it, such as /products';
const TOKEN = 'set SVC_CATALOG_TOKEN';
/** All that the framework says, whatever it was. */
const FAILED = 'Internal Server Error';
const ASK_HEALTH =
  'see the log of the catalog for the reason; svc catalog health checks only that it can read its products';
const NO_DATA = 'catalog_unavailable:';

const MISSING: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  product_not_found: ['there is no product with this id', 'svc catalog products list --search <text> finds ids'],
  category_not_found: ['there is no category with this id', 'svc catalog categories list shows them'],
  settlement_not_found: ['there is no settlement with this id', 'svc catalog settlements list shows them'],
  'source not found': [
    'there is no snapshot of this product from this source',
    'svc catalog products sources <id> shows each parser_name and source_id',
  ],
};

/** All faults of a list, such as `query.limit: Input should be less than or equal to 100`. */
function textOf(answer: FailedAnswer): string {
  const faults = faultList(answer.text);
  return faults === undefined ? serviceMessage(answer) : redactText(faults.join('; '));
}

function isPathFault({ status }: FailedAnswer, text: string): boolean {
  return status === 422 && text.startsWith('path.');
}

const MOST_FAULTS = 8;
const LONGEST_FAULT = 200;

function faultList(text: string): readonly string[] | undefined {
  const value = tryParseJson(text);
  const detail = isObject(value) ? value['detail'] : undefined;
  if (!Array.isArray(detail)) return undefined;
  return detail.slice(0, MOST_FAULTS).map((fault) => {
    const { loc, msg } = isObject(fault) ? fault : {};
    // What is neither may have a `toString` of its own, which is no function.
    const path = Array.isArray(loc) ? loc.filter((part) => typeof part === 'string' || typeof part === 'number') : [];
    const where = path.length === 0 ? '' : `${path.join('.')}: `;
    return [...(where + (typeof msg === 'string' ? msg : 'not valid'))].slice(0, LONGEST_FAULT).join('');
  });
}

function refusalHint(text: string, path: string): string | undefined {
  if (text === 'datetime must include timezone' && !path.endsWith('/dynamics')) {
    return 'the times in the catalog have no time zone: the fault is in its data, not in your command line';
  }
  if (text === 'requested range is too large') return 'use a longer --interval, or a shorter time range';
  if (text === 'scope must be one of: stores, regions')
    return 'this instance supports other scopes: see its documentation';
  return undefined;
}
