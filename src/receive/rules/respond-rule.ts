import { UsageError } from '../../errors.js';
import { isHeaderValue } from '../../http/header-rules.js';
import { suggestion } from '../../nearest.js';
import { bodyTemplate, type BodyTemplate } from './body-template.js';
import { pathPattern, pathProblem, type PathPattern } from './path-pattern.js';
import { ruleParts, unknownPart, type RulePart } from './rule-parts.js';

/** A fixed response to the requests of a path. */
export interface RespondRule {
  readonly isFor: PathPattern;
  readonly status: number;
  /** The Content-Type. */
  readonly type: string;
  readonly body: BodyTemplate | Buffer;
}

/** Reads the file of `body=@file`. @throws UsageError if it cannot be read */
export type ReadBodyFile = (path: string) => Buffer;

const defaultType = 'text/plain';

/**
 * Reads a rule of `--respond`: `path=/slack,status=200,type=text/plain,body={body.challenge}`. A comma
 * inside of a part is written `\,`. Without a path it fits every path.
 *
 * @param where begins messages: the flag, or the place in a configuration file
 * @throws UsageError that names the part that is wrong
 */
export function parseRespondRule(
  text: string,
  readFile: ReadBodyFile,
  where = '--respond',
): RespondRule {
  const wrong = wrongAt(where);
  const given = new Map<string, string>();
  for (const [index, part] of ruleParts(text).entries()) {
    const { name, value } = part;
    if (!names.includes(name)) throw wrong(whyUnknown(part, index));
    if (given.has(name)) throw wrong(`${name} is duplicated; keep one`);
    if (value === undefined) throw wrong(`${name} needs a value, like ${examples[name]!}`);
    given.set(name, name === 'body' ? value : value.trim());
  }
  const status = statusOf(given.get('status'), wrong);
  const body = given.get('body') ?? '';
  if (body !== '' && (status === 204 || status === 304)) {
    throw wrong(`a response with status ${status} has no body; leave out body, or the status`);
  }
  return {
    isFor: patternOf(given.get('path'), wrong),
    status,
    type: typeOf(given.get('type'), wrong),
    body: body.startsWith('@') ? readFile(body.slice(1)) : bodyTemplate(body),
  };
}

const examples: Readonly<Record<string, string>> = {
  path: 'path=/hook',
  status: 'status=200',
  type: 'type=application/json',
  body: 'body=ok',
};

const names = Object.keys(examples);

function patternOf(path: string | undefined, wrong: Wrong): PathPattern {
  if (path === undefined) return () => true;
  const problem = pathProblem(path);
  if (problem !== undefined) throw wrong(problem);
  return pathPattern(path);
}

function statusOf(text: string | undefined, wrong: Wrong): number {
  if (text === undefined) return 200;
  if (/^[2-5]\d\d$/.test(text)) return Number(text);
  throw wrong('status must be a number from 200 to 599');
}

function typeOf(text: string | undefined, wrong: Wrong): string {
  if (text === undefined) return defaultType;
  if (/^[\w.+-]+\/[\w.+-]+ *(?:;.*)?$/.test(text) && isHeaderValue(text)) return text;
  throw wrong('type must be a media type, like type=application/json');
}

function whyUnknown(part: RulePart, index: number): string {
  const { name } = part;
  if (name === '') return 'a part is empty; write it like status=200,body=ok';
  const hint = String.raw`${suggestion(name, names)}; a comma in a body is written \,`;
  return `${unknownPart(part, index)} is not a part of a response; ${hint}`;
}

type Wrong = (what: string) => UsageError;

/** The rule is not shown: its body may hold a secret. */
function wrongAt(where: string): Wrong {
  return (what) => new UsageError(`${where}: ${what}`, 'invalid_response');
}
