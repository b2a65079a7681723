import { scanMembers, valueText, type Member, type Members } from './members.js';

const openBrace = 0x7b;

/** The text of a JSON object, scanned on first use. */
export class ObjectText {
  readonly bytes: Buffer;
  #scan: Members | undefined;
  #byName: ReadonlyMap<string, Member> | undefined;
  readonly #children = new Map<string, ObjectText | undefined>();

  /** The members of a text that is not valid are not known. */
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Whether it is one JSON object, perhaps with space around it. */
  get isValid(): boolean {
    return this.#scanned.isValid;
  }

  /** Levels of nesting; the object itself is the first. */
  get depth(): number {
    return this.#scanned.depth;
  }

  get members(): readonly Member[] {
    return this.#scanned.members;
  }

  /** The member that `JSON.parse` sees: the last one if the name is duplicated. */
  find(name: string): Member | undefined {
    this.#byName ??= new Map(this.members.map((member) => [member.name, member]));
    return this.#byName.get(name);
  }

  /** The value of a member, if that is an object. */
  child(name: string): ObjectText | undefined {
    if (!this.#children.has(name)) this.#children.set(name, this.#childAt(this.find(name)));
    return this.#children.get(name);
  }

  get #scanned(): Members {
    return (this.#scan ??= scanMembers(this.bytes));
  }

  #childAt(member: Member | undefined): ObjectText | undefined {
    if (!member || this.bytes[member.start] !== openBrace) return undefined;
    return new ObjectText(valueText(this.bytes, member));
  }
}
