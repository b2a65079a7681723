import { JsonTextError, readJsonSpans, type JsonSpan } from '../../../src/json/spans.js';

/** A body as received. */
export interface BodyText {
  /** Null when it is not UTF-8. */
  readonly body: string | null;
  /** Instead of the text. */
  readonly bodyBase64: string | null;
}

export interface ReadBody {
  /** What is shown raw: the text, or base64 where there is none. */
  readonly text: string;
  /** The value that the text is, where it is JSON. */
  readonly root: JsonSpan | undefined;
  /** A note about the body. */
  readonly note: string | undefined;
}

/** Finds out how a body can be shown. */
export function readBody({ body, bodyBase64 }: BodyText): ReadBody {
  if (body === null) {
    return { text: bodyBase64 ?? '', root: undefined, note: 'not UTF-8 text: shown as base64' };
  }
  if (body === '') return { text: '', root: undefined, note: 'empty' };
  try {
    return { text: body, root: readJsonSpans(body), note: undefined };
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return { text: body, root: undefined, note: `not JSON: ${placeOf(body, error.offset)}` };
  }
}

function placeOf(text: string, offset: number): string {
  if (offset >= text.length) return 'it ends too early';
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}
