/**
 * The first configuration file. It is valid as it is, and works on one machine with `evfwd listen` as the
 * receiver. Secrets are references, so that the file can be committed.
 */
export const template = `# Configuration of evfwd. Secrets stay outside: \${NAME} is a value of the environment.
# All keys: https://github.com/evfwd/evfwd/blob/main/docs/configuration.md

# Targets of send, import and audience, chosen by name: evfwd send --profile local …
profiles:
  # Webhooks: each event is one signed POST. "evfwd listen" receives at this URL.
  local:
    webhooks:
      sharedSecret: \${LOCAL_SECRET}
      endpoints:
        - url: http://127.0.0.1:4400/hook
          # headers: { X-Team: growth }
          # proxy: http://proxy.local:3128
          # auth: { bearer: \${TOKEN} }
          # What this URL alone gets, and how; under "webhooks:" the same keys hold for all of its endpoints.
          # types: [track, identify]
          # events: ['Order *']
          # where: ['properties.total>=100']
          # retryStatus: [403, 404]
          # timeout: 5s
          # concurrency: 16
          # rate: 100/s
      # One POST with a JSON array of events, signed as a whole.
      # batch: { size: 100, maxBytes: 500KB, wait: 1s }
    # timeout: 5s
    # retryWindow: 4h

  # A collection API, here that of "evfwd serve" below.
  service:
    collector:
      writeKey: \${WEB_WRITE_KEY}
      endpoint: http://127.0.0.1:4500

# The forwarding service, evfwd serve. A source is a site or app that sends events with its write key.
sources:
  web:
    writeKey: \${WEB_WRITE_KEY}
    destinations: [crm]

# Where the events of sources are forwarded to.
destinations:
  crm:
    type: Webhooks
    sharedSecret: \${CRM_SECRET}
    endpoints:
      - url: http://127.0.0.1:4400/hook
        # types: [track]
        # rate: 100/s
    # Needed for this machine and private networks only; remove it for a public URL.
    allowPrivateNetworks: true
    # One POST with a JSON array of events, signed as a whole.
    # batch: { size: 100, maxBytes: 500KB, wait: 1s }
    # The events of one user go one after the other.
    # ordered: user
    # One signed POST when it is down for so long, when it is back, and for dead letters.
    # alerts: { url: https://chat.example.com/hook, after: 15m }
`;
