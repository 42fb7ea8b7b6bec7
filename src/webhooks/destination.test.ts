import { describe, expect, it } from 'vitest';
import { Destinations } from './destination.ts';

const nowhere = new Destinations([]);

describe('an address of a webhook (F106)', () => {
  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[2002:7f00:1::]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.1.2.3/',
    'https://172.31.0.1/',
    'https://192.168.0.1/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://user:secret@example.com/',
    'http://example.com/',
    'http://8.8.8.8/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'example.com',
    '',
  ])('%s is refused', (url) => {
    expect(() => nowhere.parse(url)).toThrow(/^(?:It must|[\w.:]+ is not on the internet)/);
  });

  it.each(['https://example.com/hook?key=1', 'https://8.8.8.8/', 'https://[2606:4700::1111]/'])(
    '%s is taken',
    (url) => {
      expect(nowhere.parse(url).href).toBe(url);
    },
  );

  it('is taken within what the operator allows, without TLS too', () => {
    const some = new Destinations(['127.0.0.0/8', 'fd00::/8']);
    expect(some.parse('http://127.0.0.1:9/').port).toBe('9');
    expect(some.parse('http://[::ffff:127.0.0.1]/').hostname).toBe('[::ffff:7f00:1]');
    expect(some.parse('https://[fd00::1]/').hostname).toBe('[fd00::1]');
    expect(() => some.parse('https://10.0.0.1/')).toThrow('10.0.0.1 is not on the internet');
  });

  it('is looked at again when its name is resolved', async () => {
    const found = (allowed: readonly string[]) =>
      new Promise((resolve) => {
        new Destinations(allowed).lookup('localhost', { all: false }, (error, address) =>
          resolve(error?.name ?? address),
        );
      });
    expect(await found([])).toBe('DestinationRefused');
    expect(['127.0.0.1', '::1']).toContain(await found(['127.0.0.0/8', '::1/128']));
  });

  it('of a range that is none is not allowed silently', () => {
    for (const range of ['127.0.0.1', 'localhost/8', '10.0.0.0/33', ''])
      expect(() => new Destinations([range]), range).toThrow();
  });
});
