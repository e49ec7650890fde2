/** A check of XML, written from its rules: what it does not know is an error. */

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Element | string)[];
}

const NAME = '[A-Za-z_][\\w.-]*';
const ATTRIBUTE = new RegExp(`\\s+(${NAME})="([^"<]*)"`, 'gy');
const OPENING = new RegExp(`<(${NAME})((?:\\s+${NAME}="[^"<]*")*)\\s*(/?)>`, 'y');
const CLOSING = new RegExp(`</(${NAME})>`, 'y');
/** Characters that XML 1.0 allows. */
const ALLOWED = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** The one element that the text is. Throws where it is not well-formed. */
export function parseXml(xml: string): Element {
  if (!ALLOWED.test(xml)) throw new Error('a character that XML does not allow');
  let at = 0;
  const root = element();
  if (xml.slice(at).trim() !== '') throw new Error(`after the root element: ${xml.slice(at, at + 40)}`);
  return root;

  function element(): Element {
    OPENING.lastIndex = at;
    const opening = OPENING.exec(xml);
    if (opening === null) throw new Error(`no element: ${xml.slice(at, at + 60)}`);
    at = OPENING.lastIndex;
    const [, name = '', written = '', empty] = opening;
    return { name, attributes: attributesOf(written), children: empty === '/' ? [] : childrenOf(name) };
  }

  function childrenOf(name: string): (Element | string)[] {
    const children: (Element | string)[] = [];
    for (;;) {
      const next = xml.indexOf('<', at);
      if (next < 0) throw new Error(`${name} has no end`);
      if (next > at) children.push(decoded(xml.slice(at, next)));
      at = next;
      CLOSING.lastIndex = at;
      const closing = CLOSING.exec(xml);
      if (closing === null) {
        children.push(element());
        continue;
      }
      if (closing[1] !== name) throw new Error(`${name} is closed by ${closing[1]}`);
      at = CLOSING.lastIndex;
      return children;
    }
  }
}

function attributesOf(written: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, key = '', value = ''] of written.matchAll(ATTRIBUTE)) {
    if (key in attributes) throw new Error(`${key} twice`);
    attributes[key] = decoded(value);
  }
  return attributes;
}

function decoded(text: string): string {
  if (text.includes('>')) throw new Error(`a bare >: ${text}`);
  return text.replace(/&([^;]*;?)/g, (whole, name: string) => {
    const entity = ENTITIES[name.replace(/;$/, '')];
    if (entity === undefined || !name.endsWith(';')) throw new Error(`no entity: ${whole}`);
    return entity;
  });
}

export function* allElements(root: Element): Generator<Element> {
  yield root;
  for (const child of root.children) if (typeof child !== 'string') yield* allElements(child);
}

export function textOf(root: Element): string {
  return root.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}
