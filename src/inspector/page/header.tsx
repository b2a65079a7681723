import { apiPrefix } from '../api.js';
import { Connection } from '../shared/controls/connection.js';
import { CopyButton } from '../shared/controls/copy-button.js';
import { Icon } from '../shared/controls/icon.js';
import { ThemeButton } from '../shared/controls/theme-button.js';
import { countText } from '../shared/text/format.js';
import { useInspector, useView } from '../view/use-view.js';

/** Whose page this is, whether it is live, and what can be done with the whole of it. */
export function Header() {
  const inspector = useInspector();
  const url = useView((view) => view.setup.url);
  const connection = useView((view) => view.connection);
  const theme = useView((view) => view.theme);
  const showsPictures = useView((view) => view.showsPictures);
  const faults = useView((view) => view.faults?.faults.length ?? 0);
  return (
    <header class="top">
      <h1>
        evfwd <span>listen</span>
      </h1>
      <p class="url">
        <code>{url}</code>
        <CopyButton text={url} what="the URL" />
      </p>
      <Connection state={connection} />
      <div class="top-actions">
        <button class="button" onClick={() => inspector.show('faults')}>
          <Icon name="bolt" />
          <span class="word">Faults</span>
          {faults > 0 && <span class="badge">{countText(faults)}</span>}
        </button>
        <a class="button" href={`${apiPrefix}/requests.ndjson`} download="requests.ndjson">
          <Icon name="download" />
          <span class="word">Export</span>
        </a>
        <button class="button" onClick={() => inspector.show('clear')}>
          <Icon name="trash" />
          <span class="word">Clear</span>
        </button>
        <button
          class="icon-button"
          aria-label="Timeline and latency"
          aria-pressed={showsPictures}
          title="Timeline and latency (c)"
          onClick={() => inspector.togglePictures()}
        >
          <Icon name="chart" />
        </button>
        <ThemeButton theme={theme} onNext={() => inspector.nextTheme()} />
        <button
          class="icon-button help"
          aria-label="Keys"
          title="Keys (?)"
          onClick={() => inspector.show('help')}
        >
          <Icon name="help" />
        </button>
      </div>
    </header>
  );
}
