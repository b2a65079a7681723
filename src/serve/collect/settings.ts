import type { IncomingHttpHeaders } from 'node:http';
import type { Source } from '../types.js';

/**
 * What the clients of browsers and phones ask for before they start, usually from a CDN: the one
 * destination of their own that they send to, and that nothing is blocked or sampled.
 *
 * @param key The one that the client has asked with.
 * @param headers Tell the client where it has reached us: there it shall send its calls.
 */
export function settingsFor(key: string, headers: IncomingHttpHeaders): object {
  const { host } = headers;
  const isTls = headers['x-forwarded-proto'] === 'https';
  return {
    integrations: {
      'Segment.io': {
        apiKey: key,
        unbundledIntegrations: [],
        ...(host !== undefined && { apiHost: `${host}/v1`, protocol: isTls ? 'https' : 'http' }),
      },
    },
    plan: { track: byDefault, identify: byDefault, group: byDefault },
    edgeFunction: {},
    middlewareSettings: {},
    enabledMiddleware: {},
    metrics: { sampleRate: 0 },
    legacyVideoPluginsEnabled: false,
    remotePlugins: [],
    analyticsNextEnabled: true,
  };
}

const byDefault = { __default: { enabled: true, integrations: {} } };

/**
 * The same for RudderStack's clients: a source without destinations of its own in the browser, and
 * no metrics of the client itself, which would go elsewhere.
 */
export function sourceConfigFor({ name, writeKey, isEnabled }: Source): object {
  return {
    source: {
      id: name,
      name,
      writeKey,
      enabled: isEnabled,
      workspaceId: 'evfwd',
      config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
      destinations: [],
    },
  };
}
