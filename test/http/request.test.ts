import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bodyText,
  buildRequest,
  type CallValues,
  type EndpointShape,
  endpoint,
  type Headers,
} from '../../src/http/endpoint.ts';
import { targetFor } from '../support/targets.ts';

function build(
  shape: Partial<EndpointShape> = {},
  values: CallValues = {},
  headers: Headers = {},
  auth: Headers = {},
  base = 'http://h:9093/am',
) {
  const declared = endpoint({ method: 'GET', path: '/things', effect: 'read', ...(shape as object) });
  return buildRequest(targetFor(base, { headers }), { basePath: '/api/v2' }, declared, values, auth);
}

describe('the address of a request', () => {
  test('joins base, base path, path and query', () => {
    expect(
      build({}, { query: { filter: ['a="b+c"', 'd'], active: false, limit: 3, none: undefined, empty: [] } }).url,
    ).toBe('http://h:9093/am/api/v2/things?filter=a%3D%22b%2Bc%22&filter=d&active=false&limit=3');
    expect(build({}, {}, {}, {}, 'https://h/').url).toBe('https://h/api/v2/things');
  });

  test('refuses a path parameter that would be another path', () => {
    for (const id of ['', '.', '..'])
      expect(() => build({ path: '/things/{id}' }, { params: { id } })).toThrow(
        expect.objectContaining({ code: 'invalid_value' }),
      );
    expect(() => build({ path: '/things/{id}' })).toThrow(expect.objectContaining({ code: 'internal' }));
  });

  test('has parameters of any characters', () => {
    const value = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text !== '.' && text !== '..');
    fc.assert(
      fc.property(
        value,
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.string({ unit: 'grapheme' }),
        (id, many, name) => {
          const url = new URL(
            build({ path: '/things/{id}/x' }, { params: { id }, query: { [name]: many, last: '1' } }).url,
          );
          const segments = url.pathname.split('/');
          expect(segments).toHaveLength(7);
          expect(decodeURIComponent(segments[5] ?? '')).toBe(id);
          expect(url.searchParams.getAll('last')).toEqual(name === 'last' ? expect.anything() : ['1']);
          if (name !== 'last') expect(url.searchParams.getAll(name)).toEqual(many);
          expect(url.hash).toBe('');
          expect(url.host).toBe('h:9093');
        },
      ),
    );
  });

  test('refuses half a surrogate pair', () => {
    expect(() => build({}, { query: { q: '\ud800' } })).toThrow(expect.objectContaining({ code: 'invalid_value' }));
  });
});

describe('the headers of a request', () => {
  test('are in lower case, with those that the request needs', () => {
    expect(build().headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'svc/test',
    });
    expect(build({ method: 'POST', effect: 'write' }, { body: {} }).headers['content-type']).toBe('application/json');
    expect(build({ method: 'POST', effect: 'write', encoding: 'form' }, { body: {} }).headers['content-type']).toBe(
      'application/x-www-form-urlencoded',
    );
  });

  test("end with the user's", () => {
    const { headers } = build({}, {}, { Accept: 'text/plain', 'X-Tenant': ' a ' }, { Authorization: 'Bearer t' });
    expect(headers).toMatchObject({ accept: 'text/plain', 'x-tenant': 'a', authorization: 'Bearer t' });
  });

  test('are refused if a request cannot have them, without showing a value', () => {
    for (const name of [
      'Host',
      'content-length',
      'Transfer-Encoding',
      'accept-encoding',
      'proxy-authorization',
      'expect',
    ])
      expect(() => build({}, {}, { [name]: 'x' })).toThrow(expect.objectContaining({ code: 'invalid_value', exit: 2 }));
    for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'é'])
      expect(() => build({}, {}, { [name]: 'x' })).toThrow(expect.objectContaining({ code: 'invalid_value' }));
    for (const value of ['a\r\nx: y', 'a\nb', 'a\rb', 'a\0b', '\u20ac']) {
      expect(() => build({}, {}, { 'x-a': value })).toThrow(
        expect.objectContaining({ code: 'invalid_value', message: expect.not.stringContaining(value) }),
      );
      expect(() => build({}, {}, {}, { authorization: value })).toThrow(
        expect.objectContaining({ code: 'invalid_value' }),
      );
    }
  });

  test('never contain a line break', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (more) => {
        let headers: Headers;
        try {
          headers = build({}, {}, more).headers;
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_value' });
          return;
        }
        for (const [name, value] of Object.entries(headers))
          expect(`${name}: ${value}`).toMatch(/^[^\s:]+: [\t\x20-\xff]*$/);
      }),
    );
  });
});

test('the body of a request is JSON, a form, or empty', () => {
  expect(bodyText({ body: { a: [1, 'x'], none: undefined }, encoding: 'json' })).toBe('{"a":[1,"x"]}');
  expect(bodyText({ body: null, encoding: 'json' })).toBe('null');
  expect(bodyText({ body: undefined, encoding: 'json' })).toBeUndefined();
  expect(bodyText({ body: { a: 'x y&z=+', b: '', none: undefined, n: 1 }, encoding: 'form' })).toBe(
    'a=x+y%26z%3D%2B&b=&n=1',
  );
});
