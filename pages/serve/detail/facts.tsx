import { Fact, MessageFact, UserFact } from '../../shared/detail/facts.js';
import { countText, timestampText } from '../../shared/text/format.js';
import { OutcomeWord, Route } from '../list/outcome-word.js';
import type { Outcome } from '../outcomes/outcome.js';
import { lastOf } from '../outcomes/reason.js';
import { useOperations } from '../view/operations.js';

/** The main facts of an event at a destination. */
export function Facts({ outcome }: { readonly outcome: Outcome }) {
  const operations = useOperations();
  const { nextAt, tries } = outcome;
  return (
    <dl class="facts">
      <Fact name="Outcome">
        <OutcomeWord state={outcome.state} />
        {outcome.code !== null && <code class="quiet"> {outcome.code}</code>}
      </Fact>
      <Fact name="Route">
        <Route outcome={outcome} />
      </Fact>
      <Fact name="Received">
        <Timestamp at={outcome.receivedAt} />
      </Fact>
      {tries > 0 && (
        <Fact name="Attempts">
          {countText(tries)}
          <span class="quiet"> {lastOf(outcome)}</span>
        </Fact>
      )}
      {nextAt !== null && (
        <Fact name={Date.parse(nextAt) > Date.now() ? 'Next attempt' : 'Due since'}>
          <Timestamp at={nextAt} />
        </Fact>
      )}
      <UserFact
        user={outcome.user}
        link="All events of this user"
        onFollow={(user) => operations.showTab('events', { search: user, state: undefined })}
      />
      <MessageFact messageId={outcome.messageId} />
    </dl>
  );
}

function Timestamp({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {timestampText(at, Date.now())}
    </time>
  );
}
