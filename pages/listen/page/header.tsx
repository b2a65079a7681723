import { apiPrefix } from '../../../src/api/listen.js';
import { Icon } from '../../shared/controls/icon.js';
import { Header as FrameHeader, HeaderButton } from '../../shared/frame/header.js';
import { countText } from '../../shared/text/format.js';
import { useInspector } from '../view/inspector.js';

/** What can be done with all requests. */
export function Header() {
  const inspector = useInspector();
  const url = inspector.setup.value.url;
  const { value: showsCharts } = inspector.showsCharts;
  const faults = inspector.faults.value?.faults.length ?? 0;
  return (
    <FrameHeader command="listen" url={url}>
      <HeaderButton icon="bolt" title="Faults" onClick={() => inspector.show({ name: 'faults' })}>
        {faults > 0 && <span class="badge">{countText(faults)}</span>}
      </HeaderButton>
      <a class="button" href={`${apiPrefix}/requests.ndjson`} download="requests.ndjson">
        <Icon name="download" />
        <span class="word">Export</span>
      </a>
      <HeaderButton icon="trash" title="Clear" onClick={() => inspector.show({ name: 'clear' })} />
      <button
        class="icon-button"
        aria-label="Timeline and latency"
        aria-pressed={showsCharts}
        title="Timeline and latency (c)"
        onClick={() => inspector.toggleCharts()}
      >
        <Icon name="chart" />
      </button>
    </FrameHeader>
  );
}
