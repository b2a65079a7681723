import { describe, expect, it } from 'vitest';
import { checkUrl, withoutQuery } from '../../src/http/url.js';
import { UsageError } from '../../src/errors.js';

describe('the URL of a target', () => {
  it.each([
    'http://localhost',
    'https://example.com/hook?key=1#part',
    'HTTPS://EXAMPLE.COM/',
    'http://[::1]:3000/a%20b',
    'http://127.0.0.1:65535/ü',
  ])('may be %s', (url) => {
    expect(() => checkUrl(url, '--url')).not.toThrow();
  });

  it.each([
    '',
    'example.com/hook?key=SECRET',
    '//example.com/SECRET?x',
    'ftp://example.com/?SECRET',
    'http:example.com?SECRET',
    'http:///?SECRET',
    'http://a b/?SECRET',
    'javascript:SECRET("x")',
    'http://example.com:99999/?SECRET',
    'http://user:SECRET@example.com/',
    'http://SECRET@example.com/',
  ])('may not be %j, and is not repeated in the error', (url) => {
    const check = (): void => checkUrl(url, '--url');
    expect(check).toThrow(UsageError);
    expect(check).toThrow(/^--url: /);
    expect(check).not.toThrow(/SECRET/);
  });

  it.each([
    ['localhost:3000/hook', 'http://localhost:3000/hook'],
    ['example.com', 'http://example.com'],
    ['3000', 'http://localhost:3000'],
  ])('%s is a slip, and %s is proposed', (url, proposed) => {
    expect(() => checkUrl(url, '--url')).toThrow(`did you mean ${proposed}?`);
  });

  it.each([
    ['https://example.com/hook?key=SECRET#SECRET', 'https://example.com/hook'],
    ['http://user:SECRET@example.com:8080?SECRET', 'http://example.com:8080/'],
    ['http://[::1]:80/', 'http://[::1]/'],
  ])('%s is shown as %s', (url, shown) => {
    expect(withoutQuery(url)).toBe(shown);
    expect(withoutQuery(new URL(url))).toBe(shown);
  });
});
