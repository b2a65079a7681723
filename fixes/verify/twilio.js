import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

// The current secret, and the previous one during a rotation.
const secrets = [process.env.WEBHOOK_SECRET, process.env.WEBHOOK_SECRET_OLD].filter(Boolean);

// Whether the signature is right: Twilio signs the URL and the sorted fields of a form.
function isSigned(body, header, url) {
  const given = header('{{header}}');
  const digest = new URL(url).searchParams.get('bodySHA256'); // of a body that is no form
  if (digest !== null && digest !== createHash('sha256').update(body).digest('hex')) return false;
  const fields = digest === null ? fieldsOf(new URLSearchParams(body.toString())) : '';
  const urls = [url, url.replace(/^(https?:\/\/[^/:]+):\d+/, '$1')]; // a port may be left out
  return secrets.some((secret) =>
    urls.some((one) => {
      const signature = createHmac('sha1', secret).update(one + fields).digest('base64');
      return isEqual(given, signature);
    }),
  );
}

function fieldsOf(form) {
  const valuesOf = (name) => [...new Set(form.getAll(name))].sort();
  const names = [...new Set(form.keys())].sort();
  return names.flatMap((name) => valuesOf(name).map((value) => name + value)).join('');
}

function isEqual(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b); // in constant time
}
