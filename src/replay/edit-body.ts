import { parseObject, Refusal, trim } from '../events/parse.js';
import type { Violation } from '../events/rules.js';
import { Editor, type Step } from '../steps/step.js';

/** Changes bodies that are JSON objects; other bodies cannot be changed, except where there is none. */
export class BodyEditor {
  readonly #editor: Editor;

  /** @param hashKey as of an `Editor` */
  constructor(steps: readonly Step[], hashKey: string | undefined) {
    this.#editor = new Editor(steps, hashKey);
  }

  /** The body as it is sent, or why it cannot be changed. */
  edit(body: Buffer): Buffer | Violation {
    if (body.length === 0) return body;
    const object = trim(body);
    if (parseObject(object, false) instanceof Refusal) return notAnObject;
    const { text, violation } = this.#editor.edit(object);
    if (violation || text === object) return violation ?? body;
    const start = object.byteOffset - body.byteOffset;
    return Buffer.concat([body.subarray(0, start), text, body.subarray(start + object.length)]);
  }

  warnings(): string[] {
    return this.#editor.warnings();
  }
}

const notAnObject: Violation = {
  code: 'step_failed',
  message: 'the body is not a JSON object, so --set, --drop, --hash and --rename cannot change it',
};
