import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { addApiErrors } from '../../src/web/api-errors.js';

const text = { type: 'string', minLength: 1, maxLength: 3, pattern: '^[^x]*$' };
const querystring = {
  type: 'object',
  required: ['q'],
  properties: {
    q: text,
    limit: { type: 'integer', minimum: 1, maximum: 500 },
    span: { enum: ['1h', '24h'] },
  },
};
const pair = { type: 'array', minItems: 2, maxItems: 2, items: { type: 'string' } };
const body = {
  type: 'object',
  required: ['edited'],
  properties: {
    edited: {
      type: 'object',
      required: ['headers'],
      properties: { headers: { type: 'array', items: pair } },
    },
  },
};

it.each([
  ['', 'q is missing'],
  ['q=', 'q must not be empty'],
  ['q=abcd', 'q must have at most 3 characters'],
  ['q=x', 'q must match ^[^x]*$'],
  ['q=a&limit=b', 'limit must be an integer'],
  ['q=a&limit=0', 'limit must be at least 1'],
  ['q=a&limit=501', 'limit must be at most 500'],
  ['q=a&span=1d', 'span must be one of 1h, 24h'],
])('the query %j: %s', async (query, message) => {
  const response = await app(true).inject(`/read?${query}`);
  expect([response.statusCode, response.json()]).toEqual([400, problem(message)]);
});

it.each([
  ['{', 'the body is not valid JSON', 400],
  ['', 'the body is not valid JSON', 400],
  ['[]', 'the body must be an object', 400],
  ['{}', 'edited is missing', 400],
  ['{"edited":5}', 'edited must be an object', 400],
  ['{"edited":{}}', 'edited.headers is missing', 400],
  ['{"edited":{"headers":[["a"]]}}', 'edited.headers.0 must have at least 2 elements', 400],
  ['{"edited":{"headers":[["a","b","c"]]}}', 'edited.headers.0 must have at most 2 elements', 400],
  ['{"edited":{"headers":[["a",5]]}}', 'edited.headers.0.1 must be a string', 400],
  [JSON.stringify('a'.repeat(100)), 'the body is too large', 413],
])('the body %s: %s', async (payload, message, status) => {
  const headers = { 'content-type': 'application/json' };
  const response = await app(false).inject({ method: 'POST', url: '/change', headers, payload });
  expect([response.statusCode, response.json()]).toEqual([status, problem(message)]);
});

function app(coerceTypes: boolean) {
  const made = Fastify({
    ajv: { customOptions: { coerceTypes } },
    bodyLimit: 80,
  });
  addApiErrors(made);
  made.get('/read', { schema: { querystring } }, () => ({}));
  made.post('/change', { schema: { body } }, () => ({}));
  return made;
}

function problem(message: string): object {
  return { error: { code: 'bad_request', message } };
}
