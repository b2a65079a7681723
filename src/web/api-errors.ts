import type { FastifyError, FastifyInstance } from 'fastify';
import { EvfwdError } from '../errors.js';
import type { ApiError } from '../api/listen.js';
import { requestProblem } from './request-problem.js';

/** The response body of an error. */
export function apiError({ code, message }: { code: string; message: string }): ApiError {
  return { error: { code, message } };
}

/**
 * Handles errors below `/_evfwd/`: those of the caller with their message, bugs without details.
 *
 * @param statusOf The status of an error, where it is not the usual 400 of an EvfwdError.
 */
export function addApiErrors(
  app: FastifyInstance,
  statusOf: (error: unknown) => number | undefined = () => undefined,
): void {
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send(apiError({ code: 'not_found', message: 'there is nothing at this path' })),
  );
  app.setErrorHandler((error: FastifyError | EvfwdError, _request, reply) => {
    const status = statusOf(error);
    if (status !== undefined) return reply.code(status).send(apiError(error));
    if (error instanceof EvfwdError) return reply.code(400).send(apiError(error));
    const isTheirs = error.statusCode !== undefined && error.statusCode < 500;
    const message = isTheirs ? requestProblem(error) : 'internal error of evfwd; please report it';
    const code = isTheirs ? 'bad_request' : 'unexpected';
    return reply.code(isTheirs ? error.statusCode! : 500).send(apiError({ code, message }));
  });
}
