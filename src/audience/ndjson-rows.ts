import type { Origin, Problem } from '../events/event.js';
import { LineSplitter, type Line } from '../sources/lines.js';
import { longLine } from '../sources/long-line.js';
import { findMember, repeatedName, scanMembers } from '../json/members.js';
import { parseObject, Refusal, trim } from '../events/parse.js';
import { isGiven, type Violation } from '../events/rules.js';
import { checkRow } from './identify.js';
import {
  isMember,
  missingUserId,
  missingValue,
  userKey,
  type ListOptions,
  type Row,
  type RowReader,
} from './row.js';

/** Rows of NDJSON: one object per line, with `userId`, and `value` if the list has values. */
export class NdjsonRows implements RowReader {
  readonly #options: ListOptions;
  readonly #splitter = new LineSplitter();

  constructor(options: ListOptions) {
    this.#options = options;
  }

  get linesRead(): number {
    return this.#splitter.linesRead;
  }

  push(chunk: Buffer): (Row | Problem)[] {
    return this.#rows(this.#splitter.push(chunk));
  }

  end(): (Row | Problem)[] {
    return this.#rows(this.#splitter.end());
  }

  #rows(lines: readonly Line[]): (Row | Problem)[] {
    return lines.map((line) => readRow(line, this.#options, this.#splitter.areText));
  }
}

function readRow(
  line: Line,
  { file, kind, property }: ListOptions,
  isText: boolean,
): Row | Problem {
  if (line.cutFrom !== undefined) return longLine(line, file);
  const { bytes, offset } = line;
  const origin = { file, line: line.line, offset, length: bytes.length };
  const text = trim(bytes);
  const value = parseObject(text, isText);
  if (value instanceof Refusal) return problem(text, origin, value.violation, value.isJson);
  const { members } = scanMembers(text);
  const valueOf = (name: string): Buffer | undefined => {
    const member = findMember(members, name);
    return member && text.subarray(member.start, member.end);
  };
  const id = valueOf('userId');
  const newValue = kind === 'sync' ? isMember : valueOf('value');
  const violation = checkNames(repeatedName(members)) ?? checkId(value.userId);
  if (violation ?? (!id || !newValue)) {
    return problem(text, origin, violation ?? missingValue, true);
  }
  const row = {
    user: keyOf(value.userId, id),
    id,
    value: newValue,
    origin,
    bytes: text,
    isJson: true,
  };
  const unsendable = checkRow(property, row);
  return unsendable ? problem(text, origin, unsendable, true) : row;
}

/** A numeric id is identified by its text, since JavaScript cannot represent large numbers exactly. */
function keyOf(userId: unknown, text: Buffer): Buffer {
  return typeof userId === 'string' ? userKey(userId) : Buffer.from(text);
}

function checkNames(repeated: string | undefined): Violation | undefined {
  if (repeated === undefined) return undefined;
  const message = `the member ${JSON.stringify(repeated.slice(0, 40))} is duplicated`;
  return { code: 'repeated_member', message };
}

function checkId(id: unknown): Violation | undefined {
  if (isGiven(id)) return undefined;
  if (id === undefined || id === null || typeof id === 'string') return missingUserId;
  return { code: 'invalid_id', message: 'userId is neither text nor a number' };
}

function problem(
  bytes: Buffer,
  origin: Origin,
  { code, message }: Violation,
  isJson: boolean,
): Problem {
  return { code, message, origin, bytes, isJson };
}
