/** Schemas of svc's own files; unknown fields stay. Loaded if there is a file: zod costs time. */
import * as z from 'zod/mini';

const text = z.string();
const name = text.check(z.minLength(1, 'is empty'));
/** Unix seconds, as in OAuth. */
const seconds = z.number().check(z.nonnegative('is below zero'), z.lte(8.64e12, 'is too far in the future'));
const address = text.check(z.refine((one) => URL.canParse(one), 'is not an address'));
/** Goes into a header unchanged. */
const token = text.check(z.regex(/^[\x21-\x7e]+$/, 'is not a token'));
const list = <T extends z.core.SomeType>(item: T) => z.readonly(z.array(item));

const clientFields = {
  issuer: name,
  client_id: name,
  client_secret: z.optional(name),
  /** 0 or absent: never. */
  client_secret_expires_at: z.optional(seconds),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post'], 'is not a method of svc'),
  redirect_uris: list(name),
  /** The port of the loopback redirect, compared by a strict server; absent for https. */
  redirect_port: z.optional(seconds),
  client_name: z.optional(text),
  /** Absent if it is that of doc 2 §5. */
  scope: z.optional(text),
  registered_at: seconds,
};

const tokenFields = {
  profile: text,
  /** As `credentialAddress` writes it. */
  base_url: name,
  access_token: token,
  obtained_at: seconds,
};

const oauthFields = {
  ...tokenFields,
  kind: z.literal('oauth'),
  issuer: name,
  /** From the discovery at sign-in: a refresh token goes nowhere else. */
  token_endpoint: address,
  revocation_endpoint: z.optional(address),
  /** There is a client with this id and issuer. */
  client_id: name,
  /** Absent if the service does not say: the token is used until it is refused. */
  expires_at: z.optional(seconds),
  refresh_token: z.optional(name),
  refresh_obtained_at: z.optional(seconds),
  scope: z.optional(text),
  /** For display only. */
  email: z.optional(text),
  /** The service refused this refresh token. The reason is remote text. */
  login_required: z.optional(z.looseObject({ at: seconds, reason: text })),
};

const personalFields = {
  ...tokenFields,
  kind: z.literal('personal'),
  /** From `--expires-in-days`. */
  expires_at: z.optional(seconds),
};

/** Without an index signature for unknown fields: they are preserved, but nothing reads them. */
type Fields<Shape extends z.core.$ZodLooseShape> = Readonly<z.infer<z.ZodMiniObject<Shape>>>;

/** A registration, which is reused while issuer, method and redirect address stay the same. */
export type ClientRecord = Fields<typeof clientFields>;
export type OAuthCredential = Fields<typeof oauthFields>;
export type PersonalCredential = Fields<typeof personalFields>;
/** An API token of the trading gateway (doc 3 §5 Part B). It does not say when it expires. */
export type GatewayToken = Fields<typeof tokenFields>;

/** A login of the recording service. */
export const login: z.ZodMiniType<OAuthCredential | PersonalCredential> = z.discriminatedUnion(
  'kind',
  [z.looseObject(oauthFields), z.looseObject(personalFields)],
  'is not a kind of svc',
);
export const client: z.ZodMiniType<ClientRecord> = z.looseObject(clientFields);
export const gatewayToken: z.ZodMiniType<GatewayToken> = z.looseObject(tokenFields);

const signingSecretFields = {
  /** Origin and path of the service, null if no address was configured. */
  base_url: z.nullable(text),
  endpoint_id: text,
  secret: name,
  /** RFC 3339 in UTC. */
  stored_at: text,
};
export type StoredSecret = Fields<typeof signingSecretFields>;
export const signingSecret: z.ZodMiniType<StoredSecret> = z.looseObject(signingSecretFields);

/** A secret and what belongs to it. */
export type StoredValue = Readonly<Record<string, unknown>>;

const helperEntryFields = {
  helper: text.check(z.regex(/^[a-z0-9-]+$/, 'is not the name of a helper')),
  /** Without the numbers that the parts of a large one have. */
  entry: text.check(z.regex(/^https:\/\/svc\.invalid\//, 'is not an entry of svc')),
  parts: z.int().check(z.gte(1), z.lte(1000)),
};
/** The entries of a credential helper that have a secret. */
export type HelperEntry = Fields<typeof helperEntryFields>;
/** What the file has for a key. */
export type SecretEntry = HelperEntry | { readonly value: StoredValue };
export const secretEntry: z.ZodMiniType<SecretEntry> = z.union(
  [z.looseObject(helperEntryFields), z.looseObject({ value: z.record(text, z.unknown()) })],
  'is not an entry of svc',
);

export interface SecretsDocument {
  readonly version: 1;
  /** An entry that cannot be used does not hide the others: each is checked when it is read. */
  readonly secrets: Readonly<Record<string, unknown>>;
}
export const secretsDocument: z.ZodMiniType<SecretsDocument> = z.looseObject({
  version: z.literal(1),
  secrets: z.record(text, z.unknown()),
});

const sentFields = {
  /** Ours: the service takes no id from a client. */
  id: text,
  /** RFC 3339 in UTC. */
  at: text,
  profile: text,
  /** Of the gateway. */
  base_url: text,
  /** As typed: `buy`, `orders cancel`. */
  command: text,
  path: text,
  /** Without secrets: an order has none. */
  form: z.record(text, z.unknown()),
  /** The process that sends it. */
  owner: z.catch(z.optional(z.object({ pid: z.int(), host: text, place: text, start: text })), undefined),
  /** The gateway's clock minus ours, in milliseconds, if it was known then. */
  clock_skew: z.catch(z.optional(z.number()), undefined),
  /** `--once`: the key under which it is sent at most once. */
  once: z.optional(text),
  /** The command as the user asked for it, which a repetition with the same key must equal. */
  asked: z.catch(z.optional(z.record(text, z.unknown())), undefined),
};
/** What is written about an order before it is sent. */
export type OrderSent = Fields<typeof sentFields>;

/** `unknown`: it was sent and no trustworthy response came, or the process died. */
export type SentOutcome = 'accepted' | 'refused' | 'not_sent' | 'unknown';
/** The last four are what the user found out later; `done` is a change. */
export type OrderOutcome = SentOutcome | 'filled' | 'open' | 'done' | 'absent';

const answeredFields = {
  id: text,
  at: text,
  /** Entries of a newer svc count as well: their orders must not be forgotten. */
  outcome: z.custom<OrderOutcome>((value) => typeof value === 'string', 'is not a string'),
  order_ids: z.optional(list(text)),
  /** Of positions that it opened. */
  trade_ids: z.optional(list(text)),
  message: z.nullish(text),
  /** Of a request that was refused. */
  error: z.catch(
    z.optional(z.looseObject({ code: text, hint: z.optional(text), more: z.optional(z.looseObject({})) })),
    undefined,
  ),
  /** What `--wait` reported at the end of the order. */
  report: z.catch(z.optional(z.looseObject({ status: text })), undefined),
};
/** The outcome of an order, as a later line with the same id. */
export type OrderAnswered = Fields<typeof answeredFields>;

/** A line of the order journal, of either kind. */
export const sentLine = z.looseObject(sentFields);
export const answeredLine = z.looseObject(answeredFields);
