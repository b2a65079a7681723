import { parseObject, Refusal, trim } from '../events/parse.js';
import type { Violation } from '../events/rules.js';
import { editorOf, type Step } from '../steps/step.js';

/** The body of a recorded request as it is sent, or why it cannot be changed. */
export interface BodyEditor {
  (body: Buffer): Buffer | Violation;
  /** As of an `Editor`. */
  unusedSteps(): string[];
}

/**
 * Applies steps to bodies that are JSON objects; other bodies cannot be changed, except where there is none.
 *
 * @param hashKey as in `editorOf`
 */
export function bodyEditor(steps: readonly Step[], hashKey: string | undefined): BodyEditor {
  const edit = editorOf(steps, hashKey);
  const editBody = (body: Buffer): Buffer | Violation => {
    if (body.length === 0) return body;
    const object = trim(body);
    if (parseObject(object, false) instanceof Refusal) return notAnObject;
    const { text, violation } = edit(object);
    if (violation || text === object) return violation ?? body;
    const start = object.byteOffset - body.byteOffset;
    return Buffer.concat([body.subarray(0, start), text, body.subarray(start + object.length)]);
  };
  return Object.assign(editBody, { unusedSteps: () => edit.unusedSteps() });
}

const notAnObject: Violation = {
  code: 'step_failed',
  message: 'the body is not a JSON object, so --set, --drop, --hash and --rename cannot change it',
};
