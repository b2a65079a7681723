import { expect, it } from 'vitest';
import { isInNoProxy, isNeverProxied } from '../../../src/http/proxy/exceptions.js';

const site = 'https://a.example.com/hook';

it.each<[url: string, list: string, isNamed: boolean]>([
  [site, '', false],
  [site, ' , ', false],
  [site, '*', true],
  [site, 'other.test,*', true],
  [site, 'a.example.com', true],
  [site, 'A.Example.COM.', true],
  ['https://A.EXAMPLE.com./', 'a.example.com', true],
  [site, 'b.example.com', false],
  // A host stands for its subdomains, too.
  [site, 'example.com', true],
  [site, '.example.com', true],
  [site, '*.example.com', true],
  ['https://example.com/', '.example.com', true],
  ['https://notexample.com/', 'example.com', false],
  ['https://example.com.evil.test/', 'example.com', false],
  [site, 'com', true],
  [site, '.', false],
  [site, 'x.test,a.example.com', true],
  [site, 'x.test a.example.com\ty.test', true],
  // Ports.
  [site, 'a.example.com:443', true],
  [site, 'example.com:443', true],
  [site, 'a.example.com:80', false],
  ['http://a.example.com/', 'a.example.com:80', true],
  ['http://a.example.com:8080/', 'a.example.com:8080', true],
  ['http://a.example.com:8080/', 'a.example.com', true],
  ['http://a.example.com:8080/', '*.example.com:80', false],
  // Addresses.
  ['http://8.8.8.8/', '8.8.8.8', true],
  ['http://8.8.8.8/', '8.8.8.8:80', true],
  ['http://8.8.8.8/', '8.8.8.8:81', false],
  ['http://8.8.8.8/', '.8.8', false],
  ['http://[2606:4700::1111]/', '2606:4700::1111', true],
  ['http://[2606:4700::1111]/', '2606:4700:0:0::1111', true],
  ['http://[2606:4700::1111]/', '[2606:4700::1111]:80', true],
  ['http://[2606:4700::1111]/', '[2606:4700::1111]:81', false],
  // Ranges, of addresses that stand in the URL.
  ['http://8.8.8.8/', '8.8.0.0/16', true],
  ['http://8.9.8.8/', '8.8.0.0/16', false],
  ['http://8.8.8.8/', '0.0.0.0/0', true],
  ['http://8.8.8.8/', '8.8.8.8/32', true],
  ['http://[2606:4700::1111]/', '2606:4700::/32', true],
  ['http://[2606:4701::1111]/', '2606:4700::/32', false],
  ['http://8.8.8.8/', '::/0', false],
  ['http://[2606:4700::1111]/', '0.0.0.0/0', false],
  [site, '0.0.0.0/0', false],
  ['http://8.8.8.8/', '8.8.0.0/33', false],
  ['http://8.8.8.8/', '8.8.0.0/', false],
  ['http://8.8.8.8/', '8.8.0.0/-1', false],
  ['http://8.8.8.8/', '8.8/16', false],
  // Names of other scripts.
  ['https://bücher.example/', 'bücher.example', true],
  ['https://bücher.example/', 'xn--bcher-kva.example', true],
])('%s with NO_PROXY=%j: %s', (url, list, isNamed) => {
  expect(isInNoProxy(new URL(url), list)).toBe(isNamed);
});

it.each<[url: string, isNever: boolean]>([
  ['http://localhost:3000/', true],
  ['http://LOCALHOST./', true],
  ['http://app.localhost/', true],
  ['http://127.0.0.1/', true],
  ['http://127.1/', true],
  ['http://2130706433/', true],
  ['http://[::1]/', true],
  ['http://[::ffff:10.0.0.1]/', true],
  ['http://10.0.0.1/', true],
  ['http://172.16.0.1/', true],
  ['http://192.168.1.1/', true],
  ['http://169.254.169.254/', true],
  ['http://100.64.0.1/', true],
  ['http://[fd00::1]/', true],
  ['http://8.8.8.8/', false],
  ['http://[2606:4700::1111]/', false],
  ['https://example.com/', false],
  ['https://localhost.example.com/', false],
  ['https://notlocalhost/', false],
])('%s never goes through a proxy: %s', (url, isNever) => {
  expect(isNeverProxied(new URL(url))).toBe(isNever);
});
