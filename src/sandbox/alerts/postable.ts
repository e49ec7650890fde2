/**
 * The bodies of POST requests, decoded and validated in the server's two steps: what has the wrong type is a 400, what is
 * missing or has the wrong form a 422. Neither knows svc's own schemas.
 */
import { parseServerTime, type ServerTime } from './date-time.ts';
import type { LabelSet } from './fingerprint.ts';
import { goQuote, JsonError, type JsonNode, parseJson } from './go-json.ts';
import type { Matcher } from './matcher.ts';
import { isRequestUri } from './request-uri.ts';

export interface PostedSilence {
  readonly id: string;
  readonly matchers: readonly Matcher[];
  readonly startsAt: ServerTime;
  readonly endsAt: ServerTime;
  readonly createdBy: string;
  readonly comment: string;
}

export interface PostedAlert {
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  readonly generatorURL: string;
  /** Undefined where none was sent. */
  readonly startsAt: ServerTime | undefined;
  readonly endsAt: ServerTime | undefined;
}

/** The body is refused: 400 with code 400, or 422 with a code of its own. */
export class BodyRefused extends Error {
  readonly status: 400 | 422;
  readonly code: number;

  constructor(status: 400 | 422, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** What makes the server panic and drop the connection: a null among the matchers or alerts. */
export class ServerPanic extends Error {}

export function decodeSilence(body: string): PostedSilence {
  const node = bodyOf('silence', body);
  const silence = decoding('silence', (decoder) => {
    const identified = decoder.struct(node, '', 'struct { ID string "json:\\"id,omitempty\\"" }', ['id']);
    const id = decoder.text(identified['id'], '.id');
    const fields = decoder.struct(node, '', 'models.Silence', [
      'comment',
      'createdBy',
      'endsAt',
      'matchers',
      'startsAt',
    ]);
    return {
      id,
      comment: decoder.text(fields['comment'], 'Silence.comment'),
      createdBy: decoder.text(fields['createdBy'], 'Silence.createdBy'),
      endsAt: decoder.time(fields['endsAt'], 'Silence.endsAt'),
      matchers: decoder
        .items(fields['matchers'], 'Silence.matchers', 'models.Matchers')
        ?.map((item) => decodeMatcher(decoder, item)),
      startsAt: decoder.time(fields['startsAt'], 'Silence.startsAt'),
    };
  });
  const matchers = silence.matchers;
  const comment = required(silence.comment, 'comment');
  const createdBy = required(silence.createdBy, 'createdBy');
  const endsAt = required(silence.endsAt, 'endsAt');
  if (required(matchers, 'matchers').length === 0)
    throw new BodyRefused(422, 612, 'matchers in body should have at least 1 items');
  for (const [index, matcher] of required(matchers, 'matchers').entries()) {
    if (matcher === undefined) continue;
    required(matcher.isRegex, `matchers.${index}.isRegex`);
    required(matcher.name, `matchers.${index}.name`);
    required(matcher.value, `matchers.${index}.value`);
  }
  const startsAt = required(silence.startsAt, 'startsAt');
  return {
    id: silence.id ?? '',
    comment,
    createdBy,
    endsAt,
    startsAt,
    matchers: required(matchers, 'matchers').map((matcher) => {
      if (matcher === undefined) throw new ServerPanic('a matcher is null');
      const { name = '', value = '', isRegex = false, isEqual = true } = matcher;
      return { name, value, isRegex, isEqual };
    }),
  };
}

function decodeMatcher(
  decoder: Decoder,
  node: JsonNode,
): { [Field in keyof Matcher]: Matcher[Field] | undefined } | undefined {
  const fields = decoder.struct(node, 'Silence.matchers', 'models.Matcher', ['isEqual', 'isRegex', 'name', 'value']);
  if (node.kind === 'null') return undefined;
  return {
    isEqual: decoder.flag(fields['isEqual'], 'Matcher.matchers.isEqual'),
    isRegex: decoder.flag(fields['isRegex'], 'Matcher.matchers.isRegex'),
    name: decoder.text(fields['name'], 'Matcher.matchers.name'),
    value: decoder.text(fields['value'], 'Matcher.matchers.value'),
  };
}

const ALERT_STRUCT =
  'struct { Annotations models.LabelSet "json:\\"annotations,omitempty\\""; EndsAt strfmt.DateTime "json:\\"endsAt,omitempty\\""; StartsAt strfmt.DateTime "json:\\"startsAt,omitempty\\"" }';

export function decodeAlerts(body: string): PostedAlert[] {
  const node = bodyOf('alerts', body);
  const items = decoding('alerts', (decoder) => decoder.items(node, '', 'models.PostableAlerts')) ?? [];
  const alerts = items.map((item) =>
    item.kind === 'null'
      ? undefined
      : decoding('alerts', (decoder) => {
          const own = decoder.struct(item, '', ALERT_STRUCT, ['annotations', 'endsAt', 'startsAt']);
          const annotations = decoder.labels(own['annotations'], '.annotations');
          const endsAt = decoder.time(own['endsAt'], '.endsAt');
          const startsAt = decoder.time(own['startsAt'], '.startsAt');
          const base = decoder.struct(item, '', 'models.Alert', ['generatorURL', 'labels']);
          const generatorURL = decoder.text(base['generatorURL'], 'Alert.generatorURL');
          return {
            annotations,
            endsAt,
            startsAt,
            generatorURL,
            labels: decoder.labels(base['labels'], 'Alert.labels'),
          };
        }),
  );
  for (const [index, alert] of alerts.entries()) {
    if (alert === undefined) continue;
    const url = alert.generatorURL ?? '';
    if (url !== '' && !isRequestUri(url)) {
      throw new BodyRefused(422, 601, `${index}.generatorURL in body must be of type uri: ${goQuote(url)}`);
    }
    required(alert.labels, `${index}.labels`);
  }
  return alerts.map((alert) => {
    if (alert === undefined) throw new ServerPanic('an alert is null');
    const { labels = {}, annotations = {}, generatorURL = '', startsAt, endsAt } = alert;
    return { labels, annotations, generatorURL, startsAt, endsAt };
  });
}

function bodyOf(parameter: string, body: string): JsonNode {
  const node = decoding(parameter, () => parseJson(body));
  return required(node, parameter);
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new BodyRefused(422, 602, `${name} in body is required`);
  return value;
}

function decoding<T>(parameter: string, decode: (decoder: Decoder) => T): T {
  const decoder = new Decoder();
  try {
    const value = decode(decoder);
    if (decoder.mismatch !== undefined) throw new JsonError(decoder.mismatch);
    return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new BodyRefused(400, 400, `parsing ${parameter} body from "" failed, because ${error.message}`);
  }
}

/** Go's decoder goes on after a value of the wrong type and reports the first at the end; a bad time stops it at once. */
class Decoder {
  mismatch: string | undefined;

  private wrong(node: JsonNode, field: string, type: string): undefined {
    const place = field === '' ? `value of type ${type}` : `struct field ${field} of type ${type}`;
    this.mismatch ??= `json: cannot unmarshal ${node.kind} into Go ${place}`;
    return undefined;
  }

  /** The named members: letter case does not count, the last of several wins. */
  struct(node: JsonNode, field: string, type: string, names: readonly string[]): Readonly<Record<string, JsonNode>> {
    const found: Record<string, JsonNode> = {};
    if (node.kind !== 'object') {
      if (node.kind !== 'null') this.wrong(node, field, type);
      return found;
    }
    for (const [key, value] of node.members) {
      const name = names.find((candidate) => candidate.toLowerCase() === key.toLowerCase());
      if (name !== undefined) found[name] = value;
    }
    return found;
  }

  items(node: JsonNode | undefined, field: string, type: string): readonly JsonNode[] | undefined {
    if (node === undefined || node.kind === 'null') return undefined;
    return node.kind === 'array' ? node.items : this.wrong(node, field, type);
  }

  text(node: JsonNode | undefined, field: string): string | undefined {
    if (node === undefined || node.kind === 'null') return undefined;
    return node.kind === 'string' ? node.value : this.wrong(node, field, 'string');
  }

  flag(node: JsonNode | undefined, field: string): boolean | undefined {
    if (node === undefined || node.kind === 'null') return undefined;
    return node.kind === 'bool' ? node.value : this.wrong(node, field, 'bool');
  }

  time(node: JsonNode | undefined, field: string): ServerTime | undefined {
    if (node === undefined || node.kind === 'null') return undefined;
    if (node.kind !== 'string') {
      throw new JsonError(`json: cannot unmarshal ${node.kind} into Go struct field ${field} of type string`);
    }
    const time = parseServerTime(node.value);
    if (typeof time === 'string') throw new JsonError(time);
    return time;
  }

  labels(node: JsonNode | undefined, field: string): LabelSet | undefined {
    if (node === undefined || node.kind === 'null') return undefined;
    if (node.kind !== 'object') return this.wrong(node, field, 'models.LabelSet');
    // Without a prototype: `__proto__` is a label name like any other.
    const labels: Record<string, string> = Object.create(null);
    for (const [name, value] of node.members) labels[name] = this.text(value, field) ?? '';
    return labels;
  }
}
