import type { FastifyError, FastifySchemaValidationError } from 'fastify';

/** What is wrong with a request that Fastify has refused, as `limit must be at most 500`. */
export function requestProblem({ code, message, validation }: FastifyError): string {
  const [first] = validation ?? [];
  return first ? schemaProblem(first) : (ofCodes[code] ?? message);
}

const notJson = 'the body is not valid JSON';

const ofCodes: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body is too large',
  FST_ERR_CTP_EMPTY_JSON_BODY: notJson,
  FST_ERR_CTP_INVALID_JSON_BODY: notJson,
};

function schemaProblem({ keyword, instancePath, params, message }: FastifySchemaValidationError) {
  const { missingProperty } = params;
  const path = instancePath.split('/').slice(1);
  const member = [...path, ...(typeof missingProperty === 'string' ? [missingProperty] : [])];
  const text = ofKeywords[keyword]?.(params) ?? message ?? 'is not valid';
  return `${member.join('.') || 'the body'} ${text}`;
}

type Params = FastifySchemaValidationError['params'];

/** Those of our schemas; others have the words of the validator. */
const ofKeywords: Readonly<Record<string, (params: Params) => string>> = {
  required: () => 'is missing',
  type: ({ type }) => `must be ${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as string[]).join(', ')}`,
  pattern: ({ pattern }) => `must match ${String(pattern)}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  minLength: () => 'must not be empty',
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters`,
  minItems: ({ limit }) => `must have at least ${String(limit)} elements`,
  maxItems: ({ limit }) => `must have at most ${String(limit)} elements`,
};
