// #if ed25519
import { createPublicKey, verify } from 'node:crypto';
// #else
import { createHmac, timingSafeEqual } from 'node:crypto';
// #end

// #if ed25519
// Public keys (whpk_…): the current one, and the previous one during a rotation.
// #else
// The current secret, and the previous one during a rotation.
// #end
const secrets = [process.env.WEBHOOK_SECRET, process.env.WEBHOOK_SECRET_OLD].filter(Boolean);

// Whether the signature is right: by {{scheme}}, with one of the secrets.
// #if url
function isSigned(body, header, url) {
// #else
function isSigned(body, header) {
// #end
  // #if id
  const id = header('{{idHeader}}');
  // #end
  // #if timeHeader
  const sentAt = header('{{timeHeader}}');
  // #end
  // #if timePattern
  const sentAt = /{{timePattern}}/.exec(header('{{header}}'))?.[1] ?? '';
  // #end
  // #if judgesSeconds
  if (!(Math.abs(Date.now() / 1000 - sentAt) <= {{tolerance}})) return false; // seconds
  // #end
  // #if judgesMs
  if (!(Math.abs(Date.now() - sentAt) / 1000 <= {{tolerance}})) return false; // seconds
  // #end
  // #if judgesIso
  if (!(Math.abs(Date.now() - Date.parse(sentAt)) / 1000 <= {{tolerance}})) return false; // seconds
  // #end
  // #if list
  const given = header('{{header}}').split('{{separator}}');
  // #end
  // #if two
  const given = [header('{{header}}'), header('{{secondHeader}}')];
  // #end
  // #if one
  const given = [header('{{header}}')];
  // #end
  // #if ed25519
  return secrets.some((secret) => {
    const x = Buffer.from(secret.replace(/^whpk_/, ''), 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return given.some((one) => {
      const signature = Buffer.from(/{{itemPattern}}/.exec(one)?.[1] ?? '', '{{encoding}}');
      return verify(null, {{content}}, key, signature);
    });
  });
  // #else
  return secrets.some((secret) => {
    // #if base64Key
    const key = Buffer.from(secret.replace(/^{{prefixPattern}}/, ''), 'base64');
    // #end
    // #if prefixedKey
    const key = secret.replace(/^{{prefixPattern}}/, '');
    // #end
    // #if plainKey
    const mac = createHmac('{{digest}}', secret){{updates}};
    // #else
    const mac = createHmac('{{digest}}', key){{updates}};
    // #end
    const signature = mac.digest('{{encoding}}');
    return given.some((one) => isEqual(one, {{right}}));
  });
  // #end
}
// #if hmac

function isEqual(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b); // in constant time
}
// #end
