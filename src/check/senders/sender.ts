/**
 * Where the id of an event stands, by which a receiver recognizes a repeat: in a header, or in a member of the
 * body (in a form, a path of one name is that of a field).
 */
export type FieldLocation = { readonly header: string } | { readonly path: readonly string[] };

/** What makes an event one of its own. */
export interface EventMarks {
  /** Of this event; a repeat has the same. */
  readonly id: string;
  /** When it happened, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** A field of a form; a name may come more than once. */
export type Field = readonly [name: string, value: string];

/** A message as its sender makes it, before it is signed. */
export interface Message {
  /** The members of a JSON object, or other JSON; else there is a form. */
  readonly json?: unknown;
  readonly form?: readonly Field[];
  /** Default: that of JSON, or of forms. */
  readonly contentType?: string | undefined;
  /** Besides those of the signature, Content-Type and static ones. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Path and query, where they are not those of the URL. */
  readonly path?: string;
}

/** One kind of event that a sender sends. */
export interface EventKind {
  /** `accept.<name>` is the check that sends it: `invoice.paid`. */
  readonly name: string;
  /** In words: `a valid invoice.paid event`. */
  readonly what: string;
  readonly make: (marks: EventMarks) => Message;
}

/** Whose events an endpoint is checked with. */
export interface Sender {
  readonly kinds: readonly EventKind[];
  /** The one that all checks but `accept.*` send. */
  readonly usual: EventKind;
  /** Where the id of the usual event stands; undefined if that is not known. */
  readonly id: FieldLocation | undefined;
  /** What tells the kind of an event; undefined if that is not known. */
  readonly kind: FieldLocation | undefined;
  /** The path of the event in the body of the usual one: `[]`, or `['0']` in a list of events. */
  readonly root: readonly string[];
  /** The path of an object of the usual event in which anything may stand; of a form, the field for texts. */
  readonly free: readonly string[] | undefined;
  /** Whether it sends forms, too. */
  readonly hasForms: boolean;
  /** What a captured request may have told only its receiver: values of headers and of its query. */
  readonly secrets: readonly string[];
  /** Whether its events are samples of the user, of which only what is there is varied. */
  readonly isSample: boolean;
  /** Whether each of its bodies is an array of events. */
  readonly isBatch: boolean;
}

/** A sender whose events fit some schemes, and what docs/checks.md says of it. */
export interface KnownSender extends Sender {
  /** The names of the schemes whose events are its own. */
  readonly schemes: readonly string[];
  /** When a response is late by its documentation, in milliseconds; undefined where it names no limit. */
  readonly deadlineMs?: number | undefined;
  /** What a reader should know of its events besides their names. */
  readonly note?: string;
  /** An expression in JavaScript, of `event` and `req`, that is true of every event. */
  readonly mark: string;
}

type SenderParts = Pick<Sender, 'kinds' | 'id' | 'kind' | 'free'> & Partial<Sender>;

/** A sender of JSON whose first kind is the usual one. */
export function jsonSender<T extends SenderParts>(parts: T): T & Sender {
  return {
    usual: parts.kinds[0]!,
    root: [],
    hasForms: false,
    secrets: [],
    isSample: false,
    isBatch: false,
    ...parts,
  };
}

/** Each kind has the name that its sender gives it; `/` becomes `.` in the id of its check. */
export function kindsOf(
  makers: Readonly<Record<string, (marks: EventMarks) => Message>>,
): EventKind[] {
  return Object.entries(makers).map(([name, make]) => ({
    name: name.replaceAll('/', '.'),
    what: `a valid ${name.replaceAll('_', ' ')} event`,
    make,
  }));
}

/** Whether the usual event is a form. */
export function isForm({ usual }: Sender): boolean {
  return isFormKind(usual);
}

export function isFormKind({ make }: EventKind): boolean {
  return make({ id: '', nowMs: 0 }).form !== undefined;
}

/** A copy with another value of a field, which is added if it is not there. */
export function withField(form: readonly Field[], name: string, value: string): Field[] {
  const isThere = form.some(([own]) => own === name);
  if (!isThere) return [...form, [name, value]];
  return form.map((field) => (field[0] === name ? [name, value] : field));
}

/** A copy of JSON with another value at this path; objects that are missing are made. */
export function withAt(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((item: unknown, i) =>
      String(i) === name ? withAt(item, rest, replacement) : item,
    );
  }
  const object = (value ?? {}) as Readonly<Record<string, unknown>>;
  return { ...object, [name]: withAt(object[name], rest, replacement) };
}
