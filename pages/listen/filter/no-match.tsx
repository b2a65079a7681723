import { Icon } from '../../shared/controls/icon.js';
import { NoMatch as FrameNoMatch } from '../../shared/list/list.js';
import { countOf, countText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { useInspector } from '../view/inspector.js';
import { termText, withoutTerm } from './query.js';

/** Which filters hide the requests, and how many each. */
export function NoMatch() {
  const inspector = useInspector();
  const { value: query } = inspector.query;
  const kept = inspector.log.kept.length;
  return (
    <FrameNoMatch action="Show all requests" onAction={() => inspector.clearFilter()}>
      <p>No requests match the search and the filters.</p>
      <ul class="hidden-by">
        {inspector.filter.hidden().map(({ term, count }) => (
          <li key={termText(term)}>
            <code>
              <Received text={termText(term)} />
            </code>{' '}
            hides {countText(count)} of {countOf(kept, 'request')}
            <button
              class="icon-button"
              aria-label={`Remove ${termText(term)}`}
              title="Remove this filter"
              onClick={() => inspector.setQuery(withoutTerm(query, term))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </FrameNoMatch>
  );
}
