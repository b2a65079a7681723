import { useInspector } from '../view/use-view.js';

/** Stands where the list would be when no request passes the filter. */
export function NoMatch() {
  const inspector = useInspector();
  return (
    <div class="no-match">
      <p>No request matches the search and filters.</p>
      <button class="button" onClick={() => inspector.clearFilter()}>
        Show all requests
      </button>
    </div>
  );
}
