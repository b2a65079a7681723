import type { ComponentChildren } from 'preact';
import { CopyButton } from '../controls/copy-button.js';

interface EmptyPageProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** Shown in place of the list until something has arrived: what to run first. */
export function EmptyPage({ title, children }: EmptyPageProps) {
  return (
    <section class="empty" aria-labelledby="empty-title">
      <h2 id="empty-title">{title}</h2>
      {children}
    </section>
  );
}

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
