import { render } from 'preact';
import { App } from './page/app.js';
import { Failure } from './shared/controls/failure.js';
import { Receiver } from './receive/receiver.js';
import { PageContext } from './shared/view/page.js';
import { Inspector } from './view/inspector.js';
import { InspectorContext } from './view/use-view.js';

const receiver = new Receiver();
try {
  const setup = await receiver.setup();
  const inspector = new Inspector(receiver, setup);
  document.title = `evfwd listen · ${new URL(setup.url).host}`;
  inspector.start();
  render(
    <InspectorContext.Provider value={inspector}>
      <PageContext.Provider value={inspector}>
        <App />
      </PageContext.Provider>
    </InspectorContext.Provider>,
    document.body,
  );
} catch (error) {
  render(
    <Failure message={error instanceof Error ? error.message : String(error)} />,
    document.body,
  );
}
