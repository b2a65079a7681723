import { createHmac } from 'node:crypto';
import { parseAssignment } from '../events/build.js';
import type { Violation } from '../events/rules.js';
import { UsageError } from '../errors.js';
import { parsePath, pathText, valueAtPath } from '../json/path.js';
import { emptyObject, obstacle, setIn } from '../json/set-in.js';
import { anyName, changeAt, type Path } from './edit.js';

/** One change of an event, as plain data, so that it can be handed to other threads. */
export type Step =
  /** `value` is JSON text. */
  | { readonly kind: 'set'; readonly path: Path; readonly value: string }
  | { readonly kind: 'drop'; readonly path: Path }
  | { readonly kind: 'hash'; readonly path: Path }
  | { readonly kind: 'rename'; readonly from: readonly string[]; readonly to: readonly string[] };

export type StepKind = Step['kind'];

/**
 * Reads the value of `--set`, `--drop`, `--hash` or `--rename`.
 * @throws UsageError that names the flag
 */
export function parseStep(kind: StepKind, text: string): Step {
  switch (kind) {
    case 'set': {
      const { path, value } = parseAssignment('--set', text);
      return { kind, path: path.map(anyOrNamed), value: value.toString() };
    }
    case 'rename':
      return parseRename(text);
    default:
      return { kind, path: anyPath(`--${kind}`, text) };
  }
}

function parseRename(text: string): Step {
  const [from, to, ...rest] = text.split('=');
  if (!from || !to || rest.length > 0) {
    throw new UsageError(`--rename ${text}: write old=new, with dots to nest`);
  }
  const paths = { from: namedPath('--rename', from), to: namedPath('--rename', to) };
  if (paths.from.includes('*') || paths.to.includes('*')) {
    throw new UsageError(`--rename ${text}: renames one member; write its name in place of *`);
  }
  return { kind: 'rename', ...paths };
}

function namedPath(flag: string, text: string): string[] {
  const path = parsePath(text);
  if (!path.includes('')) return path;
  throw new UsageError(`${flag} ${text}: has an empty name; write names with dots between them`);
}

function anyPath(flag: string, text: string): Path {
  return namedPath(flag, text).map(anyOrNamed);
}

function anyOrNamed(name: string): string | typeof anyName {
  return name === '*' ? anyName : name;
}

/** What steps have made of an event's text, and why it cannot be sent. */
export interface Edited {
  readonly text: Buffer;
  readonly violation?: Violation;
}

/**
 * Does the steps, one after the other. A step that fails rejects the event; the others are done, so that what is to be
 * dropped or hashed is not left in it.
 */
export class Editor {
  readonly #edits: { readonly step: Step; readonly edit: Edit; isUsed: boolean }[];
  #hasEdited = false;

  /** @param hashKey of `--hash`; required where a step hashes */
  constructor(steps: readonly Step[], hashKey: string | undefined) {
    this.#edits = steps.map((step) => ({ step, edit: editOf(step, hashKey), isUsed: false }));
  }

  edit(event: Buffer): Edited {
    this.#hasEdited = true;
    let text = event;
    let violation: Violation | undefined;
    for (const each of this.#edits) {
      try {
        const before = text;
        text = each.edit(before);
        each.isUsed ||= text !== before;
      } catch (error) {
        if (!(error instanceof StepError)) throw error;
        violation ??= { code: 'step_failed', message: error.message };
        each.isUsed = true;
      }
    }
    return { text, ...(violation && { violation }) };
  }

  /** A sentence for each step that has changed nothing, which may be a typing error; none before the first event. */
  warnings(): string[] {
    const unused = this.#edits.filter(({ isUsed }) => this.#hasEdited && !isUsed);
    return unused.map(({ step }) => `${typedStep(step)} has changed nothing; check its path`);
  }
}

/** The flag and the path that it looks for. */
function typedStep(step: Step): string {
  const path = step.kind === 'rename' ? step.from : step.path.map((name) => name ?? '*');
  return `--${step.kind} ${pathText(path)}`;
}

/** Why a step cannot change an event. */
class StepError extends Error {}

type Edit = (event: Buffer) => Buffer;

function editOf(step: Step, hashKey: string | undefined): Edit {
  switch (step.kind) {
    case 'set': {
      const value = Buffer.from(step.value);
      const { path } = step;
      // A member that any name stands for is one that is there.
      if (!isNamed(path)) return (event) => changeAt(event, path, () => value);
      return (event) => set('--set', event, path, value);
    }
    case 'drop':
      return (event) => changeAt(event, step.path, () => null);
    case 'hash': {
      const key = Buffer.from(hashKey!, 'base64');
      return (event) => changeAt(event, step.path, (value) => hashed(value, key));
    }
    case 'rename':
      return (event) => rename(event, step.from, step.to);
  }
}

function isNamed(path: Path): path is readonly string[] {
  return !path.includes(anyName);
}

function set(flag: string, event: Buffer, path: readonly string[], value: Buffer): Buffer {
  const opened = openEmpty(event, path);
  const blocked = obstacle(opened, path);
  if (blocked === undefined) return setIn(opened, path, value);
  throw new StepError(
    `${flag} ${pathText(path)}: ${pathText(blocked)} is not an object in this event`,
  );
}

/** null, and the empty list that PHP writes for an empty map, become an object where a member is set in them. */
function openEmpty(event: Buffer, path: readonly string[]): Buffer {
  let text = event;
  for (let length = 1; length < path.length; length++) {
    text = changeAt(text, path.slice(0, length), (value) =>
      /^(?:null|\[\s*\])$/.test(value.toString('latin1')) ? emptyObject : undefined,
    );
  }
  return text;
}

function rename(event: Buffer, from: readonly string[], to: readonly string[]): Buffer {
  const value = valueAtPath(event, from);
  if (value === undefined) return event;
  return set(
    '--rename',
    changeAt(event, from, () => null),
    to,
    value,
  );
}

/** HMAC-SHA256 in hex of the value's own text: of a string, its characters as UTF-8. null and blank texts stay. */
function hashed(value: Buffer, key: Buffer): Buffer | undefined {
  const text = value.toString();
  if (text === 'null') return undefined;
  const own = text.startsWith('"') ? (JSON.parse(text) as string) : text;
  // A blank id is none: its hash would make one person of all who have none.
  if (own.trim() === '') return undefined;
  return Buffer.from(`"${createHmac('sha256', key).update(own).digest('hex')}"`);
}
