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
