/** Bodies of POST requests: 400 for invalid JSON, 422 for a wrong field. Not svc's schemas. */
import * as z from 'zod/mini';
import { Refusal } from '../http.ts';

const time = z.pipe(
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), 'is not a time')),
  z.transform((text) => Date.parse(text)),
);

/** Go's zero time, which amtool sends, counts as no time. */
const ZERO_TIME = Date.parse('0001-01-01T00:00:00Z');
const optionalTime = z.pipe(
  z.nullish(time),
  z.transform((ms) => (ms === null || ms === ZERO_TIME ? undefined : ms)),
);

/** Null and absent are this. */
function orElse<T>(schema: z.ZodMiniType<T>, otherwise: T) {
  return z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? otherwise),
  );
}

const url = z.string().check(
  z.refine((text) => text === '' || URL.canParse(text), {
    error: ({ input }) => `must be of type uri: ${JSON.stringify(input)}`,
  }),
);
const labels = z.record(z.string(), z.string());
const matcher = z.object({
  name: z.string(),
  value: z.string(),
  isRegex: z.boolean(),
  isEqual: orElse(z.boolean(), true),
});

const silence = z.object({
  id: orElse(z.string(), ''),
  comment: z.string(),
  createdBy: z.string(),
  endsAt: time,
  startsAt: time,
  matchers: z.array(matcher).check(z.minLength(1, 'should have at least 1 items')),
});

const alert = z.object({
  labels,
  annotations: orElse(labels, {}),
  generatorURL: orElse(url, ''),
  startsAt: optionalTime,
  endsAt: optionalTime,
});

export type PostedSilence = Readonly<z.infer<typeof silence>>;
/** Its times are undefined if none was sent. */
export type PostedAlert = Readonly<z.infer<typeof alert>>;

export function decodeSilence(body: string): PostedSilence {
  return decode(silence, body);
}

export function decodeAlerts(body: string): readonly PostedAlert[] {
  return decode(z.nullable(z.array(alert)), body) ?? [];
}

function decode<T>(schema: z.ZodMiniType<T>, body: string): T {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    throw framed(400, `parsing the body failed: ${(error as Error).message}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path = [], message = '', input } = parsed.error.issues[0] ?? {};
  const problem = input === undefined && message.startsWith('Invalid') ? 'is required' : message;
  throw framed(422, `${path.join('.')} in body ${problem}`);
}

/** An error of the service's framework. */
export function framed(status: number, message: string): Refusal {
  return new Refusal(status, { code: status, message });
}
