/** The resources of doc 1 §2. Only what svc relies on is required, and all else is preserved. */
import * as z from 'zod/mini';
import type { Parser } from '../../http/endpoint.ts';
import { flag, identifier, text } from '../../http/fields.ts';
import { readRows } from '../../http/json.ts';
import { isObject, isTextRecord, jsonText } from '../../json-object.ts';

type Labels = Readonly<Record<string, string>>;

/** A text that svc only shows: anything may be there, or nothing. */
const shown = z.catch(z.nullish(z.string()), ({ input }) => jsonText(input));

// Date.parse takes much else for a time, such as 7.
const time = z
  .string()
  .check(z.refine((value) => /^\d{4}-/.test(value) && !Number.isNaN(Date.parse(value)), 'is not a time'));

const textRecord = z.custom<Labels>(isTextRecord, 'must be an object of strings');

/** Any value can be shown as a text. */
const otherRecord = z.pipe(
  z.custom<Readonly<Record<string, unknown>>>(isObject),
  z.transform((labels): Labels => {
    const given = Object.entries(labels).filter(([, label]) => label !== null);
    return Object.fromEntries(given.map(([name, label]) => [name, jsonText(label)]));
  }),
);
const labelSet = z.union([textRecord, otherRecord], 'must be an object of strings');

/** Servers may omit these fields, or send null. */
function orElse<T>(schema: z.ZodMiniType<T>, nothing: T) {
  return z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? nothing),
  );
}

const texts = orElse(z.array(text), []);

export const receiver = z.looseObject({ name: text });
export type Receiver = z.infer<typeof receiver>;

const wireMatcher = z.looseObject({
  name: text,
  value: text,
  isRegex: flag,
  isEqual: z.nullish(flag),
});

export const silence = z.looseObject({
  id: identifier,
  status: z.looseObject({ state: text }),
  /** Before 0.32.3, null for a silence with several sets of matchers, which are then unknown. */
  matchers: orElse(z.array(wireMatcher), []),
  startsAt: time,
  endsAt: time,
  updatedAt: shown,
  createdBy: orElse(text, ''),
  comment: orElse(text, ''),
});
export type Silence = z.infer<typeof silence>;

/** Of a file: the server refuses labels that are no strings. */
export const postableSilence = z.looseObject({
  matchers: z.array(wireMatcher).check(z.minLength(1, 'there must be at least one')), // doc 1 §2
  startsAt: z.string(),
  endsAt: z.string(),
  createdBy: z.string(),
  comment: z.string(),
  id: z.optional(z.string()),
});
export type PostableSilence = z.infer<typeof postableSilence>;

export const postedSilence = z.looseObject({ silenceID: identifier });

export const alert = z.looseObject({
  labels: labelSet,
  fingerprint: identifier,
  startsAt: orElse(text, ''),
  generatorURL: shown,
  annotations: orElse(z.catch(labelSet, {}), {}),
  receivers: orElse(z.array(z.looseObject({ name: orElse(text, '') })), []),
  updatedAt: shown,
  endsAt: shown,
  status: z.looseObject({
    state: text,
    silencedBy: texts,
    inhibitedBy: texts,
    mutedBy: z.optional(orElse(z.optional(z.array(text)), undefined)),
  }),
});
export type Alert = z.infer<typeof alert>;

export const postableAlert = z.looseObject({
  labels: textRecord,
  generatorURL: z.optional(z.string()),
  annotations: z.optional(textRecord),
  startsAt: z.optional(z.string()),
  endsAt: z.optional(z.string()),
});
export type PostableAlert = z.infer<typeof postableAlert>;

const group = z.looseObject({ labels: orElse(labelSet, {}), receiver, alerts: z.array(z.unknown()) });
export interface AlertGroup {
  readonly [unknown: string]: unknown;
  readonly labels: Labels;
  readonly receiver: Receiver;
  readonly alerts: readonly Alert[];
}

/** An alert that cannot be read is left out, not its group. */
export const alertGroup: Parser<AlertGroup> = {
  safeParse(value) {
    const read = group.safeParse(value);
    if (!read.success) return read;
    const { rows: alerts, omitted } = readRows(alert, read.data.alerts, 'alert');
    return { success: true, data: { ...read.data, alerts }, omitted };
  },
};

const statusFields = z.looseObject({
  cluster: z.nullish(
    z.looseObject({
      status: shown,
      name: shown,
      peers: z.nullish(z.array(z.looseObject({ name: shown, address: shown }))),
    }),
  ),
  versionInfo: z.nullish(
    z.looseObject({
      version: shown,
      revision: shown,
      branch: shown,
      buildUser: shown,
      buildDate: shown,
      goVersion: shown,
    }),
  ),
  config: z.nullish(z.looseObject({ original: z.nullish(text) })),
  /** When the instance started, despite the name. */
  uptime: shown,
});

/** svc computes with little of it, and compatible servers omit much: Grafana has no `original`. */
export const status = statusFields.check(
  z.refine(
    ({ cluster, versionInfo, config, uptime }) => Boolean(cluster || versionInfo || config || uptime),
    'is not the status of an Alertmanager',
  ),
);
export type Status = z.infer<typeof status>;

/** The parameters of `GET /alerts` (doc 1 §4). Each boolean is true by default. */
export type AlertQuery = AlertFilter & {
  readonly active?: boolean;
  readonly silenced?: boolean;
  readonly inhibited?: boolean;
  readonly unprocessed?: boolean;
};

export type AlertFilter = {
  /** Matchers in their canonical spelling; all must match. */
  readonly filter?: readonly string[] | undefined;
  /** A regular expression for the complete name of a receiver. */
  readonly receiver?: string | undefined;
};
