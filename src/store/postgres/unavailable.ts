import { EvfwdError, exitCodes } from '../../errors.js';

export interface StoreUnavailableOptions extends ErrorOptions {
  /** The URL as it may be printed. */
  readonly shown?: string;
}

/**
 * The store cannot do its work now, and may later: a lost connection, a server that starts or is full.
 * Where it reaches the command line, the command could not wait: it had only begun.
 */
export class StoreUnavailable extends EvfwdError {
  /** `refused`: the server responds, but takes no writes; reads may succeed meanwhile. */
  readonly kind: 'lost' | 'refused';
  /** In plain words, with no names but those of tables and schemas, and without secrets. */
  readonly reason: string;
  /** The message without the next step. */
  readonly problem: string;

  constructor(
    kind: StoreUnavailable['kind'],
    reason: string,
    { shown = 'the store', ...options }: StoreUnavailableOptions = {},
  ) {
    const what = kind === 'lost' ? 'cannot be reached' : 'refuses writes';
    const problem = `${shown} ${what} (${reason})`;
    super(
      'store_unreachable',
      `${problem}; ${adviceFor(kind, options.cause)}`,
      exitCodes.usage,
      options,
    );
    this.kind = kind;
    this.reason = reason;
    this.problem = problem;
  }
}

/** What can be done about a server that is not there for us. */
export function adviceFor(kind: StoreUnavailable['kind'], error: unknown): string {
  if (codeOf(error) === tooManyConnections) {
    return 'end other programs, or raise max_connections, or the CONNECTION LIMIT of the role or database';
  }
  if (isClosedDatabase(error)) return 'allow them: ALTER DATABASE … ALLOW_CONNECTIONS true';
  if (kind === 'lost') return 'check that the server runs there';
  return repairOf(error) ?? 'run the command again when that is fixed';
}

const insufficientPrivilege = '42501';
const missing: ReadonlySet<string> = new Set(['42P01', '3F000']);

/** What gives a user the right to use and to change the tables. */
export const ownershipAdvice =
  'let the user own both schemas and their tables, or GRANT it the role of their owner';

/** What has to be done about a refusal that does not pass by itself; undefined for others. */
export function repairOf(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === insufficientPrivilege) return ownershipAdvice;
  // A process that goes on beside new tables has the numbers of old ones in memory.
  return missing.has(code)
    ? 'restore the tables, or if their schema is gone, stop all processes of evfwd, and start them again'
    : undefined;
}

/**
 * Whether PostgreSQL refused a statement for lack of a right. `error`: of the driver, or a StoreUnavailable with it as its
 * cause.
 */
export function isMissingRight(error: unknown): boolean {
  return [error, (error as Error).cause].some((each) => codeOf(each) === insufficientPrivilege);
}

/** Transactions that these end are simply tried again: another one was in the way. */
export function isConflict(error: unknown): boolean {
  return codeOf(error) === '40001' || codeOf(error) === '40P01';
}

/** An error of the driver as what it means for us; what does not pass by itself stays as it is. */
export function storeErrorOf(error: unknown, shown: string): unknown {
  if (error instanceof StoreUnavailable) return error;
  const options = { shown, cause: error };
  const reason = refusalOf(error);
  if (reason !== undefined) return new StoreUnavailable('refused', reason, options);
  const loss = lossOf(error);
  return loss === undefined ? error : new StoreUnavailable('lost', loss, options);
}

/** Why a server that responds does not do what it is asked, in a few words. */
export function refusalOf(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === '25006' || isUnloggedInRecovery(error)) return 'it is read-only';
  if (code === '53100') return 'its disk is full';
  if (code.startsWith('58') || isUnwritable(error)) return 'it cannot write or read its files';
  // The reason names the object: a bug in a statement of evfwd has the same codes, and would look like an outage.
  const text = error instanceof Error ? error.message : '';
  if (code === insufficientPrivilege) {
    const what = /^permission denied for (\w+ [\w.]+)$/.exec(text)?.[1] ?? 'its tables';
    return `the user may not use ${what}`;
  }
  if (missing.has(code)) {
    const name = /["»«„“]([\w.]+)["«»“”]/.exec(text)?.[1];
    return name === undefined ? 'its tables are missing' : `${name} is missing`;
  }
  return undefined;
}

/** 55000 (object_not_in_prerequisite_state) has other meanings elsewhere. */
function isClosedDatabase(error: unknown): boolean {
  return isRaisedBy(error, '55000', 'CheckMyDatabase');
}

/** A standby has no unlogged tables until it is promoted; their code has other meanings, and their text may be translated. */
function isUnloggedInRecovery(error: unknown): boolean {
  return isRaisedBy(error, '0A000', 'get_relation_info');
}

/** A connection that finds no cache of the catalog writes it, and ends with an internal error where the disk is full. */
function isUnwritable(error: unknown): boolean {
  return ['write_relcache_init_file', 'write_item'].some((name) =>
    isRaisedBy(error, 'XX000', name),
  );
}

/** `routine`: the function of the source code of PostgreSQL, which is not translated. */
function isRaisedBy(error: unknown, code: string, routine: string): boolean {
  return codeOf(error) === code && (error as { routine?: unknown }).routine === routine;
}

/** Why there is no connection, or no answer, in a few words. */
export function lossOf(error: unknown): string | undefined {
  const code = codeOf(error);
  if (isClosedDatabase(error)) return 'the database accepts no connections';
  const known = losses[code] ?? (code.startsWith('08') ? 'the connection broke' : undefined);
  if (known !== undefined) return known;
  const text = error instanceof Error ? error.message : '';
  return driverLosses.find(([pattern]) => pattern.test(text))?.[1];
}

const noResponse = 'no response';
const noFreeConnection = 'no free connection';
/** Other statements may have an answer meanwhile, as while commits wait for a synchronous standby that is away. */
export const silences: readonly string[] = [noResponse, noFreeConnection];

/** Of the server, or of the role or the database. */
export const tooManyConnections = '53300';

const losses: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ECONNABORTED: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: noResponse,
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
  [tooManyConnections]: 'it has too many connections',
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
  [/timeout exceeded when trying to connect/i, noFreeConnection],
  [/connection terminated due to connection timeout|timeout expired/i, noResponse],
  [/query read timeout/i, noResponse],
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
