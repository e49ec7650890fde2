/** What came of JSON, or may have: an object, and neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A key that an object within the JSON has twice: JSON.parse would take the last one silently. The text is valid JSON. */
export function duplicateKey(json: string): string | undefined {
  const objects: Set<string>[] = [];
  for (const [token, string] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (string !== undefined) {
      const key = JSON.parse(string) as string;
      if (objects.at(-1)?.has(key)) return key;
      objects.at(-1)?.add(key);
    }
  }
  return undefined;
}

/** A text as it is, and anything else as JSON: an object may have a `toString` of its own, which is no function. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** With integers that a number does not hold exactly as texts: ids, which are never counted with. */
export function exactIntegers(text: string): string {
  if (!/\d{16}/.test(text)) return text;
  return text.replace(TOKEN, (token) =>
    /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
}

/** Deeper values than anything sends would overflow the stack of what walks them later. */
export const DEEPEST = 256;

export class TooDeep extends SyntaxError {
  override readonly name = 'TooDeep';

  constructor() {
    super(`nested more than ${DEEPEST} levels deep`);
  }
}

/** `JSON.parse` for text of a service or a file. Throws `TooDeep`. */
export function parseJsonText(text: string): unknown {
  checkDepth(text);
  return JSON.parse(text);
}

function checkDepth(text: string): void {
  // Most texts have not even so many brackets.
  if (text.length < DEEPEST) return;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      for (i++; i < text.length; i++) {
        const inner = text.charCodeAt(i);
        if (inner === 0x5c) i++;
        else if (inner === 0x22) break;
      }
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > DEEPEST) throw new TooDeep();
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
}

/** An object whose values are all texts. */
export function isTextRecord(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string');
}
