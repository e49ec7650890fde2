/** The rules of HTTP that stand before the endpoints. */

const JSON_TYPE = 'application/json';

export function isLoopbackHost(host: string | undefined): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host ?? '');
}

/** Where a path has `//` or dots in it, the path that the server redirects to. */
export function cleanPath(path: string): string | undefined {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  const end = path.endsWith('/') && kept.length > 0 ? '/' : '';
  const clean = `/${kept.join('/')}${end}`;
  return clean === path ? undefined : clean;
}

/** Whether an `Accept` header allows JSON; one that is missing or empty does. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',').some((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return [JSON_TYPE, 'application/*', '*/*'].includes(type) && Number(quality?.slice(2) ?? 1) !== 0;
  });
}

/** Why a body of this type is not read. Without a type it counts as bytes. */
export function unsupportedBody(
  type: string | undefined,
): { readonly status: 400 | 415; readonly message: string } | undefined {
  const [name = '', ...parameters] = (type ?? '').split(';');
  if (
    parameters.some(
      (parameter, index) =>
        !(/^[^=]+=.+$/.test(parameter) || (index === parameters.length - 1 && parameter.trim() === '')),
    )
  ) {
    return {
      status: 400,
      message: `parsing Content-Type header from ${JSON.stringify(type)} failed, because mime: invalid media parameter`,
    };
  }
  const media = name.trim().toLowerCase() || 'application/octet-stream';
  if (media === JSON_TYPE) return undefined;
  return { status: 415, message: `unsupported media type ${JSON.stringify(media)}, only [${JSON_TYPE}] are allowed` };
}
