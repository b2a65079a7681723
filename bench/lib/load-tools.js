import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const connections = '64';
const type = 'Content-Type: application/json';

/** Load generators that are not npm packages; each posts one fixed body, unsigned. */
export const loadTools = [
  tool('hey', ({ url, bodyFile, events }) => [
    ...['-n', String(events), '-c', connections, '-m', 'POST'],
    ...['-T', 'application/json', '-D', bodyFile, url],
  ]),
  // wrk runs for a time, not for a number of requests; one thread, as evfwd sends from one.
  tool('wrk', ({ url, scriptFile }) => ['-t1', `-c${connections}`, '-d5s', '-s', scriptFile, url]),
  tool('h2load', ({ url, bodyFile, events }) => [
    ...['--h1', '-n', String(events), '-c', connections, '-H', type, '-d', bodyFile, url],
  ]),
];

function tool(command, argumentsOf) {
  return {
    command,
    contender: (workshop, url, body, events) => {
      const files = writeBody(workshop.folder, body);
      const args = argumentsOf({ url, events, ...files });
      return { name: `${command}, fixed body`, run: () => countArrivals(workshop, command, args) };
    },
  };
}

/** The receiver counts the requests. */
async function countArrivals(workshop, command, args) {
  await workshop.receiver.reset();
  const result = await workshop.other(command, args);
  const { requests } = await workshop.receiver.counts();
  return { ...result, events: requests };
}

function writeBody(folder, body) {
  const bodyFile = join(folder, 'body.json');
  const scriptFile = join(folder, 'post.lua');
  writeFileSync(bodyFile, body);
  writeFileSync(
    scriptFile,
    `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = [==[${body}]==]
`,
  );
  return { bodyFile, scriptFile };
}
