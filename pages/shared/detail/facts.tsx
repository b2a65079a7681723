import { CopyButton } from '../controls/copy-button.js';
import { Fact } from '../controls/fact.js';
import { Received } from '../text/received.js';

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
