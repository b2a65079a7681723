import type { RequestToSign } from '../../../src/sign/request-signer.js';

/** A published signature, and what it was made of. */
export interface Vector {
  readonly title: string;
  readonly scheme: string;
  readonly secret: string;
  /** Of an asymmetric key. */
  readonly publicKey?: string;
  readonly body: string;
  readonly id?: string;
  readonly seconds?: number;
  readonly url?: string;
  readonly contentType?: string;
  /** The whole value of the header. */
  readonly value: string;
}

const standard = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  seconds: 1614265330,
  body: '{"test": 2432232314}',
};
const whsec = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** As the documentation and the tests of the senders have them. */
export const vectors: readonly Vector[] = [
  {
    title: 'Standard Webhooks v1',
    scheme: 'standard-webhooks',
    secret: whsec,
    ...standard,
    value: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  {
    title: 'Svix',
    scheme: 'svix',
    secret: whsec,
    ...standard,
    value: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  {
    title: 'Standard Webhooks v1a, a key of 32 bytes',
    scheme: 'standard-webhooks',
    secret: 'whsk_VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=',
    publicKey: 'whpk_ZlN4eg7dSSqi0moX9hQUk3orrOouK3QVQSlJa248c/g=',
    ...standard,
    value:
      'v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==',
  },
  {
    title: 'Standard Webhooks v1a, a key of 64 bytes',
    scheme: 'standard-webhooks',
    secret:
      'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==',
    publicKey: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
    ...standard,
    value:
      'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
  },
  {
    title: 'GitHub',
    scheme: 'github',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    value: 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  },
  {
    title: 'GitHub with SHA-1',
    scheme: 'github-sha1',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    value: 'sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59',
  },
  {
    title: 'Octokit',
    scheme: 'github',
    secret: 'mysecret',
    body: '{\n  "foo": "bar"\n}\n',
    value: 'sha256=e3eccac34c43c7dc1cbb905488b1b81347fcc700a7b025697a9d07862256023f',
  },
  {
    title: 'Slack',
    scheme: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    seconds: 1531420618,
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    value: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  },
  {
    title: 'Shopify',
    scheme: 'shopify',
    secret: 'shop-secret',
    body: '{"id":1}',
    value: 'plW8VGqq0nDMIEhDqaNNW99asdUCy7EIqLZVcQwtAZ0=',
  },
  {
    title: 'Convoy, advanced',
    scheme: 'convoy-advanced',
    secret: 'convoy-webhook-secret',
    seconds: 1700000000,
    body: '{"event":"charge.success","amount":1000,"currency":"NGN"}',
    value: 't=1700000000,v1=77b8b9269f25a199846a55a2bd25b3fba151c70fdae60bb1dcd87fbbc943c55c',
  },
  {
    title: 'Twilio, JSON',
    scheme: 'twilio',
    secret: '12345',
    url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
    body: '{"property": "value", "boolean": true}',
    value: 'a9nBmqA0ju/hNViExpshrM61xv4=',
  },
  {
    title: 'Twilio, form',
    scheme: 'twilio',
    secret: '12345',
    url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
    contentType: 'application/x-www-form-urlencoded',
    body: 'Digits=1234&CallSid=CA1234567890ABCDE&To=%2B18005551212&Caller=%2B14158675309&From=%2B14158675309',
    value: 'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
  },
];

/** The request of a vector. */
export function requestOf({ body, id, seconds, url, contentType }: Vector): RequestToSign {
  return {
    body: Buffer.from(body),
    id: id ?? 'msg_1',
    nowMs: (seconds ?? 0) * 1000,
    method: 'POST',
    url: url ?? 'https://example.com/hook',
    contentType,
  };
}
