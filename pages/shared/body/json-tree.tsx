import { JsonNode } from './json-node.js';
import type { JsonSpan } from '../../../src/json/spans.js';

interface JsonTreeProps {
  readonly text: string;
  readonly root: JsonSpan;
}

/** JSON that can be folded; each value is shown in the received characters. */
export function JsonTree({ text, root }: JsonTreeProps) {
  return (
    <ul class="tree" aria-label="Body as a tree">
      <JsonNode text={text} node={root} name={undefined} depth={0} />
    </ul>
  );
}
