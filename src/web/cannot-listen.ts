import { UsageError } from '../errors.js';

/** Explains an error of `net` when a server cannot listen. */
export function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): UsageError {
  const reason =
    reasons[error.code ?? ''] ?? `cannot be listened on (${error.code ?? error.message})`;
  const [what, next] =
    error.code === 'EADDRINUSE' || error.code === 'EACCES'
      ? [`port ${port} of ${host}`, 'use another --port, or --port 0 for a free one']
      : [`--host ${host}`, 'use an address of this machine, or omit it for 127.0.0.1'];
  return new UsageError(`${what} ${reason}; ${next}`, 'cannot_listen', { cause: error });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: 'cannot be used: permission denied',
  EADDRNOTAVAIL: 'is not an address of this machine',
  ENOTFOUND: 'cannot be resolved',
};
