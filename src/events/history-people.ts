import type { Random } from './random.js';

/** A made-up user of the sample history. */
export interface Person {
  readonly userId: string;
  readonly anonymousId: string;
  /** People on the web view pages, those with an app view screens. */
  readonly onWeb: boolean;
  readonly context: Readonly<Record<string, unknown>>;
  readonly traits: Readonly<Record<string, unknown>>;
  /** Where they work, for some of them. */
  readonly company: { readonly groupId: string; readonly traits: object } | undefined;
}

/** Makes the person with this number, from 1. */
export function makePerson(number: number, random: Random): Person {
  const [city, country, locale, timezone] = random.pick(places);
  const device = random.pick(devices);
  const firstName = random.pick(firstNames);
  const lastName = random.pick(lastNames);
  return {
    userId: `user-${1000 + number}`,
    anonymousId: random.uuid(),
    onWeb: device.library.name === 'analytics.js',
    context: { ip: address(random), ...device, locale, timezone },
    traits: {
      firstName,
      lastName,
      // Two people may have the same name; the number keeps their addresses apart.
      email: `user.${number}@example.com`,
      plan: random.pick(['free', 'free', 'basic', 'premium']),
      newsletter: random.next() < 0.4,
      address: { city, country },
    },
    company: random.next() < 0.35 ? random.pick(companies) : undefined,
  };
}

/** From the three blocks that are set aside for documentation (RFC 5737). */
function address(random: Random): string {
  return `${random.pick(['192.0.2', '198.51.100', '203.0.113'])}.${random.whole(1, 254)}`;
}

const firstNames = [
  'Zoë',
  'Jürgen',
  'María',
  'Søren',
  'Amélie',
  'Łukasz',
  'Yuki',
  '美咲',
  'Ada',
  'Noah',
  'Olga',
  'Chidi',
];

const lastNames = [
  'Müller',
  'García',
  'Østergaard',
  'Lefèvre',
  'Nowak',
  '佐藤',
  'Smith',
  'Okafor',
  'Иванова',
  'Rossi',
];

const places = [
  ['Köln', 'DE', 'de-DE', 'Europe/Berlin'],
  ['Málaga', 'ES', 'es-ES', 'Europe/Madrid'],
  ['Århus', 'DK', 'da-DK', 'Europe/Copenhagen'],
  ['東京', 'JP', 'ja-JP', 'Asia/Tokyo'],
  ['São Paulo', 'BR', 'pt-BR', 'America/Sao_Paulo'],
  ['Portland', 'US', 'en-US', 'America/Los_Angeles'],
] as const;

const devices = [
  {
    library: { name: 'analytics.js', version: '2.14.0' },
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  },
  {
    library: { name: 'analytics.js', version: '2.13.2' },
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  },
  {
    library: { name: 'analytics-ios', version: '4.6.1' },
    userAgent: 'Shop/5.3.1 (iPhone; iOS 18.6; Scale/3.00)',
    app: { name: 'Example Shop', version: '5.3.1' },
    device: { type: 'ios', manufacturer: 'Apple', model: 'iPhone16,2' },
  },
  {
    library: { name: 'analytics-android', version: '4.11.3' },
    userAgent: 'Dalvik/2.1.0 (Linux; U; Android 16; Pixel 9 Build/BP2A.250605.031)',
    app: { name: 'Example Shop', version: '5.3.0' },
    device: { type: 'android', manufacturer: 'Google', model: 'Pixel 9' },
  },
] as const;

const companies = [
  {
    groupId: 'company-11',
    traits: { name: 'Grünwald GmbH', industry: 'Food & Beverage', employees: 48 },
  },
  {
    groupId: 'company-12',
    traits: { name: 'Café Olé, S.L.', industry: 'Hospitality', employees: 9 },
  },
  {
    groupId: 'company-13',
    traits: { name: 'Northwind Ltd', industry: 'Logistics', employees: 1250 },
  },
  {
    groupId: 'company-14',
    traits: { name: '株式会社みらい', industry: 'Software', employees: 310 },
  },
] as const;
