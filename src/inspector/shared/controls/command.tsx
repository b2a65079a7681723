import { CopyButton } from './copy-button.js';

interface CommandProps {
  readonly title: string;
  readonly command: string;
}

/** A command to copy into a shell. */
export function Command({ title, command }: CommandProps) {
  return (
    <figure class="command">
      <figcaption>{title}</figcaption>
      <pre tabIndex={0}>{command}</pre>
      <CopyButton text={command} what="the command" />
    </figure>
  );
}
