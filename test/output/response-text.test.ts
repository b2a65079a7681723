import { describe, expect, it } from 'vitest';
import { firstLineOf, responseLines } from '../../src/output/response-text.js';

const headers = { 'content-type': 'text/plain' };

describe('the first line of a response', () => {
  it.each([
    ['{"error":"missing"}', '{"error":"missing"}'],
    ['\r\n\n  not found \nmore', 'not found'],
    ['', undefined],
    ['{\n  "error": {\n    "code": 7\n  }\n}\n', '{ "error": { "code": 7 } }'],
    ['<!doctype html><style>b{}</style>\n<h1>Bad\n Gateway</h1><p>nginx', 'Bad Gateway nginx'],
    ['<html><body></body></html>', undefined],
    ['<script>', undefined],
    ['red \u001b[31m', 'red \\u001b[31m'],
    ['x'.repeat(1_000), `${'x'.repeat(159)}…`],
  ])('of %j is %j', (body, line) => expect(firstLineOf({ headers, body })).toBe(line));

  it('is absent for a body that is not text', () => {
    expect(firstLineOf({ headers, bodyBase64: '/w==' })).toBeUndefined();
  });
});

describe('the lines of a response', () => {
  it('are its headers and its body, without control characters', () => {
    expect(responseLines({ headers, body: 'one\n\ntwo\u0007' })).toEqual([
      'content-type: text/plain',
      'one',
      'two\\u0007',
    ]);
  });

  it('have a body that is not text as base64', () => {
    expect(responseLines({ headers: {}, bodyBase64: '/w==' })).toEqual(['base64: /w==']);
  });
});
