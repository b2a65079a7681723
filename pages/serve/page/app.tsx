import { PageFrame } from '../../shared/frame/page-frame.js';
import { Detail } from '../detail/detail.js';
import { OpenDialog } from '../dialogs/open-dialog.js';
import { Toolbar } from '../filter/toolbar.js';
import { OutcomeList } from '../list/outcome-list.js';
import { Overview } from '../overview/overview.js';
import { SearchSummary } from '../search/search-summary.js';
import { useOperations } from '../view/operations.js';
import { Empty, isUntouched } from './empty.js';
import { Header } from './header.js';
import { keys } from './keys.js';
import { Tabs } from './tabs.js';
import { TokenForm } from './token-form.js';
import { ServiceErrors } from './service-errors.js';

/** The whole page. */
export function App() {
  const operations = useOperations();
  const { value: opened } = operations.opened;
  const { value: isLocked } = operations.isLocked;
  if (isLocked) return <TokenForm />;
  return (
    <PageFrame
      page={operations}
      keys={keys}
      rows="events"
      noun="outcome"
      arrived={() => operations.log.arrived}
      server={{ name: 'service', command: 'evfwd serve' }}
      header={<Header />}
      banners={<ServiceErrors />}
      action={{ title: 'Redeliver', act: () => operations.redeliverSelected() }}
      dialog={<OpenDialog />}
    >
      <Events />
      {opened && <Detail key={opened.key} outcome={opened} />}
    </PageFrame>
  );
}

function Events() {
  const operations = useOperations();
  const { value: overview } = operations.overview;
  const { value: showsOverview } = operations.showsOverview;
  const { value: hidesOverview } = operations.hidesOverview;
  if (!overview) return null;
  if (operations.log.size === 0 && isUntouched(overview)) {
    return (
      <div class="requests shows-overview untouched">
        <Overview overview={overview} />
        <Empty overview={overview} />
      </div>
    );
  }
  return (
    <div
      class={`requests${showsOverview ? ' shows-overview' : ''}${hidesOverview ? ' hides-overview' : ''}`}
    >
      <Tabs />
      <Overview overview={overview} />
      <Toolbar />
      <SearchSummary />
      <OutcomeList />
    </div>
  );
}
