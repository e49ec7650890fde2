/** Where requests go, and by which rules: the run decides them, and the transport obeys. */
import type { LookupAddress } from 'node:dns';
import type { KnownSecrets } from './redact.ts';

export type ServiceName = 'alerts' | 'webhooks' | 'catalog' | 'trade';

/** Provides the credential for one origin. It is called once more after a 401. */
export interface Authorizer {
  /** The only origin (`https://host:port`) that may receive the header. */
  readonly origin: string;
  /** The setting that provides it. */
  readonly source?: string;
  header(): Promise<Readonly<Record<string, string>>>;
  /** After a 401: true if there is a new credential and the request may be sent once more. */
  refresh?(): Promise<boolean>;
}

export interface TlsOptions {
  /** PEM texts; `ca` is added to the platform's roots. */
  readonly ca?: string | undefined;
  /** The file of NODE_EXTRA_CA_CERTS, which Node 20 ignores if there is a `ca`. */
  readonly extraCa?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly insecure: boolean;
}

/** The proxy variables of the environment, unchanged. Loopback is never proxied. */
export interface ProxySettings {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** For both schemes, if they have none of their own. */
  readonly all?: string | undefined;
  readonly noProxy?: string | undefined;
}

interface Traced {
  readonly method: string;
  readonly url: string;
  readonly ms: number;
  readonly attempt: number;
}

interface TracedDetail {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One line of `-v`, or the detail of `--debug`. Already redacted. */
export type TraceEvent =
  | (Traced & { readonly kind: 'answer'; readonly status: number })
  | (Traced & { readonly kind: 'failure'; readonly reason: string })
  | (TracedDetail & { readonly kind: 'request-detail'; readonly method: string; readonly url: string })
  | (TracedDetail & { readonly kind: 'answer-detail'; readonly status: number });

/** How any address is reached. */
export interface Outbound {
  readonly userAgent: string;
  readonly tls: TlsOptions;
  /** On Node 20 and 21 V8 compiles undici's parser twice; a flag avoids it. */
  readonly deferWasmTiering?: boolean;
  readonly proxy: ProxySettings;
  /** Connect to these, without a proxy, whatever the name in the address resolves to later. */
  readonly addresses?: readonly LookupAddress[] | undefined;
  readonly signal: AbortSignal;
  /** The secrets that the run has used, which are redacted everywhere. */
  readonly secrets: KnownSecrets;
  /** Writes are planned and not sent. */
  readonly dryRun?: boolean;
  readonly log: RequestLog;
}

export interface RequestLog {
  /** 0: no events, 1: one per response and failure, 2: also their details. */
  readonly level: 0 | 1 | 2;
  trace(event: TraceEvent): void;
  /** A warning for the user, such as an unchecked certificate. */
  warn(text: string): void;
  /** A row that cannot be read is left out: `item 3 of /alerts: labels is missing`. */
  omit?(text: string): void;
  /** Called before each request that is not a read. */
  writing?(): void;
  /** Called when a wait for this host begins; what it returns, when that is over. */
  waiting?(host: string): (() => void) | undefined;
}

export interface Target extends Outbound {
  readonly service: ServiceName;
  /** Normalised: http or https, no userinfo, query, fragment or trailing slash. */
  readonly baseUrl: URL;
  /** The total deadline of one request, including its retries. */
  readonly timeoutMs: number;
  /** `--header` and `--header-file`: sent only to `baseUrl`'s origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** The names in `headers` (lower case) from a header file: redacted in every output. */
  readonly secretHeaders: ReadonlySet<string>;
  readonly authorizer?: Authorizer | undefined;
  /** The other members of its HA cluster. */
  readonly others?: readonly Target[];
  now(): number;
  random(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
