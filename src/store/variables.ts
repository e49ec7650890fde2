/** The environment variables without a setting as a table. Help and reference use it, too. */
interface Variable {
  readonly name: string;
  readonly help: string;
  readonly secret: boolean;
}

export const VARIABLES: readonly Variable[] = [
  { name: 'SVC_ALERTS_TOKEN', secret: true, help: 'Bearer token for the alert manager' },
  { name: 'SVC_ALERTS_PASSWORD', secret: true, help: 'Password for basic authentication, with SVC_ALERTS_USER' },
  { name: 'SVC_WEBHOOKS_TOKEN', secret: true, help: 'Access token for the recording webhook service' },
  { name: 'SVC_WEBHOOK_SECRET', secret: true, help: 'Signing secret to verify deliveries' },
  { name: 'SVC_CATALOG_TOKEN', secret: true, help: 'Bearer token for the catalog' },
  { name: 'SVC_CATALOG_PASSWORD', secret: true, help: 'Password for basic authentication, with SVC_CATALOG_USER' },
  { name: 'SVC_TRADE_TOKEN', secret: true, help: 'Token for the trading gateway' },
  { name: 'SVC_PROFILE', secret: false, help: 'Profile to use (same as --profile)' },
  { name: 'SVC_CONFIG_DIR', secret: false, help: 'Directory of settings and credentials' },
  { name: 'SVC_NO_INPUT', secret: false, help: 'Never prompt (same as --no-input)' },
  { name: 'SVC_FORCE_TTY', secret: false, help: 'Treat standard output as a terminal of this many columns' },
  { name: 'SVC_PAGER', secret: false, help: 'Pager for tables longer than the screen; empty or cat for none' },
  { name: 'PAGER', secret: false, help: 'The same, if SVC_PAGER is not set (default less)' },
  { name: 'LESS', secret: false, help: 'Options of less (default FRX)' },
  { name: 'BROWSER', secret: false, help: 'Program that opens web addresses, as for xdg-open; none for no browser' },
  { name: 'TERM', secret: false, help: 'dumb for text alone: no color, spinner, pager or drawn screen' },
  { name: 'NO_COLOR', secret: false, help: 'No color' },
  { name: 'FORCE_COLOR', secret: false, help: 'Color even without a terminal' },
  { name: 'CLICOLOR', secret: false, help: '0 for no color' },
  { name: 'CLICOLOR_FORCE', secret: false, help: 'Color even without a terminal' },
  { name: 'HTTPS_PROXY', secret: false, help: 'Proxy for https addresses' },
  { name: 'HTTP_PROXY', secret: false, help: 'Proxy for http addresses (read in lower case: http_proxy)' },
  { name: 'ALL_PROXY', secret: false, help: 'Proxy for both, if neither is set: http, https, socks5 or socks5h' },
  { name: 'NO_PROXY', secret: false, help: 'Hosts to reach without a proxy; loopback always is' },
];
