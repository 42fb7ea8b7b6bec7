import { expect, it } from 'vitest';
import { isOldChunk } from '../../scripts/bundle.mjs';

it.each(['evident-AAAA.js', 'evident-AAAA.js.map'])('%s is a chunk that may be removed', (file) => {
  expect(isOldChunk('evident', file)).toBe(true);
});

it.each(['evident.js', 'evident-AAAA.js.25074', 'evident-AAAA.js.map.25074', 'sim-AAAA.js'])(
  '%s is not: it is the entry, another program, or what another process is about to rename',
  (file) => {
    expect(isOldChunk('evident', file)).toBe(false);
  },
);
