import { ComposedText, memberText, type TextPart } from './composed-text.js';
import type { Member } from './members.js';
import type { ObjectText } from './object-text.js';

interface Added {
  readonly name: string;
  /** The whole member. */
  readonly text: TextPart;
}

/**
 * Changes members of a JSON object in its own text. All bytes that do not belong to a changed
 * member stay unchanged: names, numbers, escapes, order and space. New members are added at the end.
 */
export class ObjectEditor {
  readonly #bytes: Buffer;
  readonly #members: readonly Member[];
  /** The new value of each changed member, by its index; null for a removed member. */
  readonly #values: (TextPart | null | undefined)[];
  #added: Added[] = [];

  /** `members` must be all members of `bytes`. */
  constructor({ bytes, members }: Pick<ObjectText, 'bytes' | 'members'>) {
    this.#bytes = bytes;
    this.#members = members;
    this.#values = new Array<undefined>(members.length).fill(undefined);
  }

  /**
   * Adds the members that the object lacks and `under` has, at every level where both have an
   * object. Recurses as deep as both nest: the caller must limit that.
   */
  static merge(own: ObjectText, under: ObjectText): ObjectEditor {
    const editor = new ObjectEditor(own);
    own.members.forEach((member, i) => {
      if (own.find(member.name) !== member) return;
      const child = under.child(member.name);
      const ownChild = child && own.child(member.name);
      if (ownChild) editor.#values[i] = ObjectEditor.merge(ownChild, child).text();
    });
    for (const { name, nameStart, end } of under.members) {
      if (own.find(name)) continue;
      editor.#added.push({ name, text: under.bytes.subarray(nameStart, end) });
    }
    return editor;
  }

  /**
   * Sets a member to `value`, which must be JSON text. If the name is duplicated, the last member
   * counts, as in `JSON.parse`.
   */
  set(name: string, value: TextPart): this {
    const index = this.#members.findLastIndex((member) => member.name === name);
    if (index >= 0) this.#values[index] = value;
    else {
      this.#dropAdded(name);
      this.#added.push({ name, text: memberText(name, value) });
    }
    return this;
  }

  /** Replaces the value of one member, by its index; null removes the member. */
  setAt(index: number, value: TextPart | null): this {
    this.#values[index] = value;
    return this;
  }

  /** Removes all members of this name, each with a comma beside it. */
  remove(name: string): this {
    this.#members.forEach((member, i) => {
      if (member.name === name) this.#values[i] = null;
    });
    this.#dropAdded(name);
    return this;
  }

  text(): ComposedText {
    const bytes = this.#bytes;
    const members = this.#members;
    const last = this.#values.findLastIndex((value) => value !== null);
    const text = new ComposedText();
    let at = 0;
    for (let i = 0; i <= last; i++) {
      const { nameStart, start, end } = members[i]!;
      const value = this.#values[i];
      if (value === undefined) continue;
      text.span(bytes, at, value === null ? nameStart : start);
      if (value !== null) text.add(value);
      // A removed member is dropped together with the comma after it.
      at = value === null ? members[i + 1]!.nameStart : end;
    }
    // Members after the last kept one are dropped with the comma before them.
    const endOfKept = members[last]?.end ?? bytes.indexOf('{') + 1;
    text.span(bytes, at, endOfKept);
    this.#added.forEach((added, i) => {
      const comma = i > 0 || last >= 0 ? ',' : '';
      if (typeof added.text === 'string') text.add(comma + added.text);
      else text.add(comma).add(added.text);
    });
    return text.span(bytes, members.at(-1)?.end ?? endOfKept, bytes.length);
  }

  #dropAdded(name: string): void {
    this.#added = this.#added.filter((added) => added.name !== name);
  }
}
