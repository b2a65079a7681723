import { render } from 'preact';
import { PageContext } from '../shared/view/page.js';
import { App } from './page/app.js';
import { Failure } from '../shared/controls/failure.js';
import { Service } from './receive/service.js';
import { Operations } from './view/operations.js';
import { OperationsContext } from './view/use-view.js';

const service = new Service();
try {
  const operations = new Operations(service, await service.setup());
  document.title = `evfwd serve · ${location.host}`;
  operations.start();
  render(
    <OperationsContext.Provider value={operations}>
      <PageContext.Provider value={operations}>
        <App />
      </PageContext.Provider>
    </OperationsContext.Provider>,
    document.body,
  );
} catch (error) {
  render(
    <Failure message={error instanceof Error ? error.message : String(error)} />,
    document.body,
  );
}
