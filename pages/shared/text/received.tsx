import { visibleParts } from './visible-parts.js';

interface ReceivedProps {
  readonly text: string;
  /** Line ends and tabs are kept as they are. */
  readonly isMultiline?: boolean;
}

/** Received text: rendered as text nodes only, with marks for invisible characters. */
export function Received({ text, isMultiline = false }: ReceivedProps) {
  return (
    <bdi class="received">
      {visibleParts(text, isMultiline).map((part) =>
        part.isMark ? <span class="mark">{part.text}</span> : part.text,
      )}
    </bdi>
  );
}
