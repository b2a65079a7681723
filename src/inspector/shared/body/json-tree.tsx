import { JsonNode } from './json-node.js';
import type { JsonSpan } from '../../../json/spans.js';

interface JsonTreeProps {
  readonly text: string;
  readonly root: JsonSpan;
}

/** JSON to fold and unfold, every value in the very characters that came. */
export function JsonTree({ text, root }: JsonTreeProps) {
  return (
    <ul class="tree" aria-label="Body as a tree">
      <JsonNode text={text} node={root} name={undefined} depth={0} />
    </ul>
  );
}
