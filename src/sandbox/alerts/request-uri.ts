/** What Go's `url.ParseRequestURI` accepts: an absolute path, or a scheme and anything that can follow it. */
export function isRequestUri(text: string): boolean {
  if (/[\0-\x1f\x7f]/.test(text)) return false;
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length).replace(/\?.*/s, '');
  if (!rest.startsWith('/')) return scheme !== '';
  const authority = scheme === '' && rest.startsWith('///') ? undefined : /^\/\/([^/]*)/.exec(rest)?.[1];
  const path = authority === undefined ? rest : rest.slice(2 + authority.length);
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return false;
  return authority === undefined || isAuthority(authority);
}

function isAuthority(authority: string): boolean {
  const [, user, host = ''] = /^(?:(.*)@)?(.*)$/s.exec(authority) ?? [];
  if (user !== undefined && !/^(?:[A-Za-z0-9\-._:~!$&'()*+,;=%@])*$/.test(user)) return false;
  if (host.startsWith('[')) return /^\[[^\]]*\](?::\d*)?$/.test(host);
  const port = /:(.*)$/s.exec(host.slice(host.lastIndexOf(':')))?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) return false;
  return !/[\s"<>^`{|}\\%]/.test(host.replace(/[^\0-\x7f]/g, ''));
}
