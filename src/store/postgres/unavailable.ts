/**
 * The store cannot do its work now, and may later: a lost connection, a server that starts or is full.
 * The message is the reason in plain words, without names or secrets.
 */
export class StoreUnavailable extends Error {
  /** `refused`: the server responds, but takes no writes; reads may succeed meanwhile. */
  readonly kind: 'lost' | 'refused';

  constructor(kind: StoreUnavailable['kind'], reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'StoreUnavailable';
    this.kind = kind;
  }
}

/** Transactions that these end are simply tried again: another one was in the way. */
export function isConflict(error: unknown): boolean {
  return codeOf(error) === '40001' || codeOf(error) === '40P01';
}

/** An error of the driver as what it means for us; what does not pass by itself stays as it is. */
export function storeErrorOf(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  const reason = refusalOf(codeOf(error));
  if (reason !== undefined) return new StoreUnavailable('refused', reason, { cause: error });
  const loss = lossOf(error);
  return loss === undefined ? error : new StoreUnavailable('lost', loss, { cause: error });
}

function refusalOf(code: string): string | undefined {
  if (code === '25006') return 'it is read-only';
  if (code === '53100') return 'its disk is full';
  if (code.startsWith('58')) return 'it cannot write or read its files';
  return undefined;
}

/** Why there is no connection, or no answer, in a few words. */
export function lossOf(error: unknown): string | undefined {
  const code = codeOf(error);
  const known = losses[code] ?? (code.startsWith('08') ? 'the connection broke' : undefined);
  if (known !== undefined) return known;
  const text = error instanceof Error ? error.message : '';
  return driverLosses.find(([pattern]) => pattern.test(text))?.[1];
}

const losses: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ECONNABORTED: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'no response',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'the name of the host is not found',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ENOENT: 'there is no socket',
  EMFILE: 'too many open files here',
  '25P03': 'the server ended a transaction that took too long',
  '28000': 'it refuses the user',
  '28P01': 'it refuses the password',
  '3D000': 'there is no such database',
  '40001': 'another transaction is in the way',
  '40P01': 'another transaction is in the way',
  '53200': 'it is out of memory',
  '53300': 'it has too many connections',
  '53400': 'it is at a limit of its configuration',
  '55P03': 'another transaction is in the way',
  '57014': 'a statement took too long',
  '57P01': 'the server is being shut down',
  '57P02': 'the server has crashed',
  '57P03': 'the server is starting or stopping',
  '57P05': 'the server closed an idle connection',
};

/** What pg says without a code. */
const driverLosses: readonly (readonly [RegExp, string])[] = [
  [/timeout exceeded when trying to connect/i, 'no free connection'],
  [/connection terminated due to connection timeout|timeout expired/i, 'no response'],
  [/query read timeout/i, 'no response'],
  [
    /connection terminated|client was closed|not queryable|connection error/i,
    'the connection broke',
  ],
  [
    /server conn crashed|server login has been failing|query_wait_timeout/i,
    'its pooler has no server',
  ],
];

/** The SQLSTATE, or the code of the system. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
