import { expect, it } from 'vitest';
import { coversHost, hostHolderOf, hostsOf } from './hosts.ts';

const others = [
  { service: 'victim@lab', host: null },
  { service: 'shop@lab', host: 'Shop.example' },
];

it('X.localhost belongs to X, deployed or not, and to no other (F119)', () => {
  expect(hostHolderOf({ service: 'aaa@lab', host: 'victim.localhost' }, others)).toBe('victim');
  expect(hostHolderOf({ service: 'aaa@lab', host: 'Absent.localhost' }, others)).toBe('absent');
  expect(hostHolderOf({ service: 'victim@lab', host: 'victim.localhost' }, others)).toBeNull();
});

it('a name below X.localhost belongs to X too, whose cookies it could set', () => {
  expect(hostHolderOf({ service: 'aaa@lab', host: 'x.victim.localhost' }, others)).toBe('victim');
  expect(hostHolderOf({ service: 'aaa@lab', host: 'a.b.Victim.localhost' }, others)).toBe('victim');
  expect(hostHolderOf({ service: 'victim@lab', host: 'x.victim.localhost' }, others)).toBeNull();
});

it('any other name belongs to the service that has it', () => {
  expect(hostHolderOf({ service: 'aaa@lab', host: 'shop.example' }, others)).toBe('shop@lab');
  expect(hostHolderOf({ service: 'shop@lab', host: 'shop.example' }, others)).toBeNull();
  expect(hostHolderOf({ service: 'aaa@lab', host: 'free.example' }, others)).toBeNull();
  expect(hostHolderOf({ service: 'aaa@lab', host: null }, others)).toBeNull();
});

it('a service has its own name first, and each name once', () => {
  expect(hostsOf('web@lab', null)).toEqual(['web.localhost']);
  expect(hostsOf('web@lab', 'WEB.localhost')).toEqual(['web.localhost']);
  expect(hostsOf('web@lab', 'Shop.example')).toEqual(['web.localhost', 'shop.example']);
});

it('a certificate covers its own names, and one label in the place of its star', () => {
  const names = ['web.localhost', '*.example.org'];
  expect(['WEB.localhost', 'a.example.org'].every((host) => coversHost(names, host))).toBe(true);
  for (const host of ['example.org', 'a.b.example.org', 'localhost', '', 'org'])
    expect(coversHost(names, host), host).toBe(false);
});
