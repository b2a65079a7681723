import { UsageError } from '../errors.js';

/** Says for a person why a server cannot listen there, by the error of `net`. */
export function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): UsageError {
  const reason =
    reasons[error.code ?? ''] ?? `cannot be listened on (${error.code ?? error.message})`;
  const [what, next] =
    error.code === 'EADDRINUSE' || error.code === 'EACCES'
      ? [`port ${port} of ${host}`, 'give another --port, or --port 0 for a free one']
      : [`--host ${host}`, 'give an address of this machine, or leave it out for 127.0.0.1'];
  return new UsageError(`${what} ${reason}; ${next}`, 'cannot_listen', { cause: error });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: 'is not allowed to be listened on',
  EADDRNOTAVAIL: 'is no address of this machine',
  ENOTFOUND: 'is no name that can be found',
};
