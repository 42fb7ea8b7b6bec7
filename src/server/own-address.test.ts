import { describe, expect, it } from 'vitest';
import { ownAddress } from './own-address.ts';

describe('the address that a server prints', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:7717'],
    ['::1', 'http://[::1]:7717'],
    ['evident.example', 'http://evident.example:7717'],
    ['0.0.0.0', 'http://127.0.0.1:7717'],
    ['::', 'http://127.0.0.1:7717'],
  ])('of %s is one that a browser opens', (host, address) => {
    expect(ownAddress(host, 7717)).toBe(address);
  });
});
