import { describe, expect, it } from 'vitest';
import { orStalled } from './stall.ts';

const where = () => 'step 7';

describe('a schedule that stalls', () => {
  it('is a violation that names the place', async () => {
    expect(await orStalled(new Promise(() => {}), where)).toMatchObject({
      invariant: 'no stall',
      detail: expect.stringContaining('step 7'),
    });
  });

  it('is none if it ends, however many turns it takes', async () => {
    const long = async () => {
      for (let i = 0; i < 10_000; i++) await null;
      return null;
    };
    expect(await orStalled(long(), where)).toBeNull();
    await expect(orStalled(Promise.reject(new Error('thrown')), where)).rejects.toThrow('thrown');
  });
});
