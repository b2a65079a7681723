import type { ComponentChildren } from 'preact';
import { CopyButton } from '../controls/copy-button.js';
import { Received } from '../text/received.js';

interface FactProps {
  readonly name: string;
  readonly children: ComponentChildren;
}

/** A line of a `<dl class="facts">`. */
export function Fact({ name, children }: FactProps) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The messageId of an event. */
export function MessageFact({ messageId }: { readonly messageId: string | null }) {
  if (messageId === null) return null;
  return (
    <Fact name="Message">
      <code>
        <Received text={messageId} />
      </code>
      <CopyButton text={messageId} what="the messageId" />
    </Fact>
  );
}

interface UserFactProps {
  readonly user: string | null;
  /** The link to the other rows of the user. */
  readonly link: string;
  readonly onFollow: (user: string) => void;
}

/** The user of an event. */
export function UserFact({ user, link, onFollow }: UserFactProps) {
  if (user === null) return null;
  return (
    <Fact name="User">
      <code>
        <Received text={user} />
      </code>
      <button class="link" onClick={() => onFollow(user)}>
        {link}
      </button>
    </Fact>
  );
}

interface HeaderListProps {
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The accessible name. */
  readonly label: string;
}

/** Headers in their order, duplicates included. */
export function HeaderList({ headers, label }: HeaderListProps) {
  return (
    <dl class="headers" aria-label={label}>
      {headers.map(([name, value], index) => (
        <div key={index}>
          <dt>
            <Received text={name} />
          </dt>
          <dd>
            <Received text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
