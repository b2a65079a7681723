import type { IncomingHttpHeaders } from 'node:http';
import type { Source } from '../types.js';

/**
 * The settings that browser and mobile clients load at their start, usually from a CDN: their one
 * built-in destination, with nothing blocked or sampled.
 *
 * @param key The write key in the request.
 * @param headers Name the host that the client has reached; it sends its calls there.
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
 * The same for RudderStack's clients: a source without in-browser destinations, and without the
 * client's own metrics, which would go to another host.
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
