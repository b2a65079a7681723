import { Fact } from '../../shared/controls/fact.js';
import { MessageFact, UserFact } from '../../shared/detail/facts.js';
import { countText } from '../../shared/text/format.js';
import { momentText } from '../../shared/text/moment.js';
import { OutcomeWord } from '../list/outcome-word.js';
import { Route } from '../list/route.js';
import type { Outcome } from '../outcomes/outcome.js';
import { answerOf } from '../outcomes/reason.js';
import { useOperations } from '../view/use-view.js';

/** An event at a destination, in a few facts. */
export function Facts({ outcome }: { readonly outcome: Outcome }) {
  const operations = useOperations();
  const { nextAt, tries } = outcome;
  return (
    <dl class="facts">
      <Fact name="Outcome">
        <OutcomeWord state={outcome.state} />
        {outcome.code !== null && <code class="quiet"> {outcome.code}</code>}
      </Fact>
      <Fact name="Way">
        <Route outcome={outcome} />
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
      <UserFact
        user={outcome.user}
        link="all of this user"
        onFollow={(user) => operations.showTab('events', { search: user, state: undefined })}
      />
      <MessageFact messageId={outcome.messageId} />
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
