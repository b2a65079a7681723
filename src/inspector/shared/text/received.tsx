import { visibleParts } from './visible-parts.js';

interface ReceivedProps {
  readonly text: string;
  /** Line ends and tabs are kept as they are. */
  readonly isMultiline?: boolean;
}

/** Text that came from outside: only ever text nodes, with marks for what would not be seen. */
export function Received({ text, isMultiline = false }: ReceivedProps) {
  return (
    <bdi class="received">
      {visibleParts(text, isMultiline).map((part) =>
        part.isMark ? <span class="mark">{part.text}</span> : part.text,
      )}
    </bdi>
  );
}
