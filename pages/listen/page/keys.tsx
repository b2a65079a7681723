import { HelpDialog } from '../../shared/keys/help-dialog.js';
import { key, listKeys } from '../../shared/keys/list-keys.js';
import type { Inspector } from '../view/inspector.js';

/** The keys of the page, in the order of the help. */
export const keys = listKeys<Inspector>('request', [
  key('r', 'replay the selected requests, or this one', (inspector) => {
    if (inspector.chosen.length > 0) inspector.show({ name: 'replay' });
  }),
  key('e', 'edit and resend this request', (inspector) => {
    if (inspector.focused) inspector.show({ name: 'edit' });
  }),
  key('d', 'compare the two selected requests', (inspector) => {
    if (inspector.compared) inspector.show({ name: 'compare' });
  }),
  key('f', 'faults', (inspector) => inspector.show({ name: 'faults' })),
  key('c', 'timeline and latency', (inspector) => inspector.toggleCharts()),
]);

const examples = [
  ['pro "two words"', 'anywhere: path, headers, body'],
  ['type:track,page', 'one of several types'],
  ['status:5xx', 'a status, a class, or none'],
  ['path:/hook', 'in the path; path:=/hook is the whole path'],
  ['method:PUT user:ada', 'both must match; also name: and signature:'],
  ['scheme:stripe reason:expired', 'how it was signed, and why that is not valid'],
  ['duplicate:yes', 'recognized by --dedupe'],
  ['forwarded:5xx', 'what the app responded; any, none, or error'],
  ['fault:any', 'a fault was applied'],
  ['-path:/health', 'excludes these'],
] as const;

/** The keyboard shortcuts of the page, and where to find what it does not show. */
export function Help() {
  return (
    <HelpDialog keys={keys}>
      <h3>Search</h3>
      <dl class="keys syntax">
        {examples.map(([query, does]) => (
          <div key={query}>
            <dt>
              <code>{query}</code>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        The list shows the newest requests. Export downloads all kept requests, one capture per
        line, in the format that <code>evfwd send --data</code>, <code>import</code> and{' '}
        <code>verify-sig --requests</code> read; or some of them as one HTML page without secrets,
        to be sent to a colleague.
      </p>
    </HelpDialog>
  );
}
