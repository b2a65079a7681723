import type { RequestDetail } from '../../../src/api/listen.js';
import { ResultTable } from '../../shared/detail/result-table.js';
import { countText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';

/** The events of a batch; nothing for a single one. */
export function Events({ detail: { row, events } }: { readonly detail: RequestDetail }) {
  if (events.length === 0) return null;
  const left = row.events - events.length;
  return (
    <section class="part" aria-labelledby="events-title">
      <header>
        <h3 id="events-title">Events</h3>
      </header>
      <ResultTable label="Events of the batch" columns={['', 'Event', 'User', 'Message']}>
        {events.map(({ index, type, name, user, messageId, isDuplicate }) => (
          <tr key={index}>
            <td>[{index}]</td>
            <td>
              <Received text={name === null ? type : `${type} ${name}`} />{' '}
              {isDuplicate && <span class="tag">duplicate</span>}
            </td>
            <td>{user !== null && <Received text={user} />}</td>
            <td>{messageId !== null && <Received text={messageId} />}</td>
          </tr>
        ))}
      </ResultTable>
      {left > 0 && <p class="quiet">and {countText(left)} more</p>}
    </section>
  );
}
