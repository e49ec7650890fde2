/** The resources of doc 1 §2. Unknown fields are preserved, enum values and times stay text, and only what svc relies on is required. */
import * as z from 'zod/mini';
import { isTextRecord } from '../../json-object.ts';

/** Not copied: a copy would lose a label named `__proto__`. */
const labelSet = z.custom<Readonly<Record<string, string>>>(isTextRecord, 'must be an object of strings');

/** Compatible servers may omit these fields, or send null. */
function orElse<T>(schema: z.ZodMiniType<T>, nothing: T) {
  return z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? nothing),
  );
}

/** Labels: Alertmanager 0.33 or newer. */
export const receiver = z.looseObject({ name: z.string(), labels: z.optional(z.nullable(labelSet)) });
export type Receiver = z.infer<typeof receiver>;

const wireMatcher = z.looseObject({
  name: z.string(),
  value: z.string(),
  isRegex: z.boolean(),
  isEqual: z.optional(z.nullable(z.boolean())),
});

const silenceFields = {
  matchers: z.array(wireMatcher),
  startsAt: z.string(),
  endsAt: z.string(),
  createdBy: z.string(),
  comment: z.string(),
  /** Alertmanager 0.32 or newer. */
  annotations: z.optional(z.nullable(labelSet)),
};

export const silence = z.looseObject({
  ...silenceFields,
  id: z.string(),
  status: z.looseObject({ state: z.string() }),
  updatedAt: z.string(),
});
export type Silence = z.infer<typeof silence>;

/** Also the schema of a file. */
export const postableSilence = z.looseObject({
  ...silenceFields,
  matchers: z.array(wireMatcher).check(z.minLength(1, 'there must be at least one')), // doc 1 §2
  id: z.optional(z.string()),
});
export type PostableSilence = z.infer<typeof postableSilence>;

export const postedSilence = z.looseObject({ silenceID: z.string() });
export type PostedSilenceId = z.infer<typeof postedSilence>;

export const alert = z.looseObject({
  labels: labelSet,
  generatorURL: z.optional(z.string()),
  annotations: orElse(labelSet, {}),
  receivers: orElse(z.array(receiver), []),
  fingerprint: z.string(),
  startsAt: z.string(),
  updatedAt: z.optional(z.string()),
  endsAt: z.optional(z.string()),
  status: z.looseObject({
    state: z.string(),
    silencedBy: orElse(z.array(z.string()), []),
    inhibitedBy: orElse(z.array(z.string()), []),
    mutedBy: z.optional(z.array(z.string())),
  }),
});
export type Alert = z.infer<typeof alert>;

export const postableAlert = z.looseObject({
  labels: labelSet,
  generatorURL: z.optional(z.string()),
  annotations: z.optional(labelSet),
  startsAt: z.optional(z.string()),
  endsAt: z.optional(z.string()),
});
export type PostableAlert = z.infer<typeof postableAlert>;

export const alertGroup = z.looseObject({ labels: labelSet, receiver, alerts: z.array(alert) });
export type AlertGroup = z.infer<typeof alertGroup>;

const peer = z.looseObject({ name: z.string(), address: z.string() });

export const status = z.looseObject({
  cluster: z.looseObject({
    status: z.string(),
    name: z.optional(z.string()),
    peers: z.optional(z.nullable(z.array(peer))),
  }),
  versionInfo: z.looseObject({
    version: z.string(),
    revision: z.optional(z.string()),
    branch: z.optional(z.string()),
    buildUser: z.optional(z.string()),
    buildDate: z.optional(z.string()),
    goVersion: z.optional(z.string()),
  }),
  config: z.looseObject({ original: z.string() }),
  /** When the instance started, despite the name. */
  uptime: z.string(),
});
export type Status = z.infer<typeof status>;

/** The booleans of `GET /alerts` (doc 1 §4), each true by default. */
export interface StateQuery {
  readonly active?: boolean;
  readonly silenced?: boolean;
  readonly inhibited?: boolean;
  readonly unprocessed?: boolean;
}

export interface AlertFilter {
  /** Matchers in their canonical spelling; all must match. */
  readonly filter?: readonly string[] | undefined;
  /** A regular expression for the complete name of a receiver. */
  readonly receiver?: string | undefined;
}
