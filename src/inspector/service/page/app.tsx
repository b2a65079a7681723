import { Announcer } from '../../shared/controls/announcer.js';
import { Notice } from '../../shared/controls/notice.js';
import { useKeys } from '../../shared/keys/use-keys.js';
import { Detail } from '../detail/detail.js';
import { OpenDialog } from '../dialogs/open-dialog.js';
import { Toolbar } from '../filter/toolbar.js';
import { OutcomeList } from '../list/outcome-list.js';
import { Overview } from '../overview/overview.js';
import { Answer } from '../search/answer.js';
import { useOperations, useView } from '../view/use-view.js';
import { Empty, isUntouched } from './empty.js';
import { Header } from './header.js';
import { keys } from './keys.js';
import { SelectionBar } from './selection-bar.js';
import { Tabs } from './tabs.js';
import { TokenForm } from './token-form.js';
import { Troubles } from './troubles.js';

const lostText =
  'The connection to the service is lost. Trying again; is evfwd serve still running?';

/** The whole page. */
export function App() {
  const operations = useOperations();
  const { view, book } = operations;
  useKeys(keys, operations, () => view.value.dialog !== undefined || view.value.isLocked);
  const opened = useView((shown) => shown.opened);
  const notice = useView((shown) => shown.notice);
  const isLost = useView((shown) => shown.connection === 'lost');
  const isLocked = useView((shown) => shown.isLocked);
  if (isLocked) return <TokenForm />;
  return (
    <div class={opened ? 'app has-detail' : 'app'}>
      <a class="skip" href="#outcomes">
        Skip to the events
      </a>
      <Header />
      <Announcer
        arrived={() => book.arrived}
        watch={(watcher) => view.watch(watcher)}
        noun="outcome"
        lost={isLost ? lostText : undefined}
      />
      <Troubles />
      <main>
        <Events />
        {opened && <Detail key={opened.key} outcome={opened} />}
      </main>
      <SelectionBar />
      <Notice notice={notice} onRead={() => view.set({ notice: undefined })} />
      <OpenDialog />
    </div>
  );
}

function Events() {
  const { book } = useOperations();
  const overview = useView((view) => view.overview);
  const showsOverview = useView((view) => view.showsOverview);
  useView((view) => view.version);
  if (!overview) return null;
  if (book.size === 0 && isUntouched(overview)) {
    return (
      <div class="requests shows-overview untouched">
        <Overview overview={overview} />
        <Empty overview={overview} />
      </div>
    );
  }
  return (
    <div class={showsOverview ? 'requests shows-overview' : 'requests'}>
      <Tabs />
      <Overview overview={overview} />
      <Toolbar />
      <Answer />
      <OutcomeList />
    </div>
  );
}
