/** Flow dumps of mitmproxy (`mitmdump -w`), which have the exact bytes: netstrings with a type. */
import { SvcError } from '../../../errors.ts';
import { isObject } from '../../../json-object.ts';
import { type Delivery, hasServiceHeader, type RawHeader } from '../delivery.ts';

type Value = Buffer | number | boolean | null | readonly Value[] | { readonly [name: string]: Value };

const DEEPEST = 50;

export function flowDeliveries(bytes: Buffer, source: string, prefix: string): readonly Delivery[] {
  const flows: Value[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { value, end } = netstring(bytes, at, source, 0);
    flows.push(value);
    at = end;
  }
  const found = flows.flatMap((flow, index): readonly Delivery[] => {
    if (!isObject(flow) || !isObject(flow['request'])) return [];
    const { headers, content, timestamp_start: receivedS } = flow['request'];
    if (!Array.isArray(headers)) return [];
    const status = isObject(flow['response']) ? flow['response']['status_code'] : 0;
    return [
      {
        source: `${source}#${index + 1}`,
        headers: headers.flatMap(headerOf),
        body: Buffer.isBuffer(content) ? content : Buffer.alloc(0),
        // mitmproxy streams large bodies without storing them.
        truncated: content === null,
        receivedS: typeof receivedS === 'number' ? receivedS : undefined,
        failed: typeof status === 'number' ? !(status >= 200 && status <= 299) : undefined,
        notes: [],
      },
    ];
  });
  return found.length === 1 ? found : found.filter(({ headers }) => hasServiceHeader(headers, prefix));
}

function headerOf(pair: unknown): RawHeader[] {
  const [name, value]: readonly unknown[] = Array.isArray(pair) ? pair : [];
  return Buffer.isBuffer(name) && Buffer.isBuffer(value) ? [[name.toString('latin1'), value.toString('latin1')]] : [];
}

/** `<length>:<data><type>` */
function netstring(bytes: Buffer, at: number, source: string, depth: number): { value: Value; end: number } {
  const [head, digits] = /^(\d{1,12}):/.exec(bytes.toString('latin1', at, at + 13)) ?? [];
  const from = at + (head?.length ?? 0);
  const to = from + Number(digits);
  if (digits === undefined || to >= bytes.length || depth > DEEPEST) {
    throw new SvcError('file_unusable', `${source}: the mitmproxy dump is cut off or damaged at byte ${at}`, {
      hint: 'mitmdump -r FILE -w NEW writes the flows that it can read',
    });
  }
  const data = bytes.subarray(from, to);
  const type = String.fromCharCode(bytes[to] ?? 0);
  return { value: typed(type, data, source, depth), end: to + 1 };
}

function typed(type: string, data: Buffer, source: string, depth: number): Value {
  if (type === ',' || type === ';') return data;
  if (type === '#' || type === '^') return Number(data.toString('latin1'));
  if (type === '!') return data.toString('latin1') === 'true';
  if (type === '~') return null;
  const items: Value[] = [];
  for (let at = 0; at < data.length; ) {
    const { value, end } = netstring(data, at, source, depth + 1);
    items.push(value);
    at = end;
  }
  if (type === ']') return items;
  const pairs = items.flatMap((name, index) => (index % 2 === 0 ? [[String(name), items[index + 1] ?? null]] : []));
  if (type === '}') return Object.fromEntries(pairs);
  throw new SvcError('file_unusable', `${source}: the mitmproxy dump has a value of an unknown type`);
}
