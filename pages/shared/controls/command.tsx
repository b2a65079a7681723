import { CopyButton } from './copy-button.js';

interface CommandProps {
  readonly title: string;
  readonly command: string;
  /** A part of it that its reader has to fill in. */
  readonly marked?: string;
}

/** A command to copy into a shell. */
export function Command({ title, command, marked }: CommandProps) {
  return (
    <figure class="command">
      <figcaption>{title}</figcaption>
      <pre tabIndex={0}>{marked === undefined ? command : withMarks(command, marked)}</pre>
      <CopyButton text={command} what="the command" />
    </figure>
  );
}

function withMarks(command: string, marked: string) {
  return command
    .split(marked)
    .flatMap((text, index) => (index === 0 ? [text] : [<mark key={index}>{marked}</mark>, text]));
}
