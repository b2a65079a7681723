import { CopyButton } from '../../shared/controls/copy-button.js';
import { Fact } from '../../shared/controls/fact.js';
import { countText } from '../../shared/text/format.js';
import { momentText } from '../../shared/text/moment.js';
import { Received } from '../../shared/text/received.js';
import { OutcomeWord } from '../list/outcome-word.js';
import type { Outcome } from '../outcomes/outcome.js';
import { answerOf } from '../outcomes/reason.js';
import { useOperations } from '../view/use-view.js';

/** An event at a destination, in a few facts. */
export function Facts({ outcome }: { readonly outcome: Outcome }) {
  const { destination, messageId, nextAt, tries } = outcome;
  return (
    <dl class="facts">
      <Fact name="Outcome">
        <OutcomeWord state={outcome.state} />
        {outcome.code !== null && <code class="quiet"> {outcome.code}</code>}
      </Fact>
      <Fact name="Way">
        <Received text={outcome.source} />
        {destination !== null && (
          <>
            {' → '}
            <Received text={destination} />
          </>
        )}
      </Fact>
      <Fact name="Received">
        <Moment at={outcome.receivedAt} />
      </Fact>
      {tries > 0 && (
        <Fact name="Tries">
          {countText(tries)}
          <span class="quiet"> last answer {answerOf(outcome)}</span>
        </Fact>
      )}
      {nextAt !== null && (
        <Fact name="Next try">
          <Moment at={nextAt} />
        </Fact>
      )}
      {outcome.user !== null && <User user={outcome.user} />}
      {messageId !== null && (
        <Fact name="Message">
          <code>
            <Received text={messageId} />
          </code>
          <CopyButton text={messageId} what="the messageId" />
        </Fact>
      )}
    </dl>
  );
}

function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {momentText(at, Date.now())}
    </time>
  );
}

function User({ user }: { readonly user: string }) {
  const operations = useOperations();
  return (
    <Fact name="User">
      <code>
        <Received text={user} />
      </code>
      <button
        class="link"
        onClick={() => operations.showTab('events', { search: user, state: undefined })}
      >
        all of this user
      </button>
    </Fact>
  );
}
