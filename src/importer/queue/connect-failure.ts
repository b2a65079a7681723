/** Why a connection failed, in a few words. */
export function connectFailure(error: Error): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  // The words of ioredis for `socketTimeout`.
  if (error.message.startsWith('Socket timeout')) return 'timed out';
  return causes[code] ?? (code === '' ? 'closed by the server' : code);
}

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host lookup failed',
  ETIMEDOUT: 'timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
};
