import { describe, expect, it } from 'vitest';
import { Asker } from './asker.ts';
import { OwnDelay } from './own-delay.ts';

const turn = () => new Promise((done) => setImmediate(done));

/** Asks once for each of the given answers, a second apart. */
async function heard(answers: readonly (number | null)[], own: OwnDelay): Promise<(number | null)[]> {
  const left = [...answers];
  const asker = new Asker(async () => left.shift() ?? null, 1_000, own);
  const found: (number | null)[] = [];
  for (const n of answers.keys()) {
    asker.look(n * 1_000);
    await turn();
    found.push(asker.answer);
  }
  return found;
}

class Starved extends OwnDelay {
  override hasStarvedSince(): boolean {
    return true;
  }
}
class Awake extends OwnDelay {
  override hasStarvedSince(): boolean {
    return false;
  }
}

describe('a question', () => {
  it('without an answer says that nobody answers', async () => {
    expect(await heard([1, null, 2], new Awake())).toEqual([1, null, 2]);
  });

  it('without an answer proves nothing while we did not get to listen; an answer always does', async () => {
    expect(await heard([1, null, 2], new Starved())).toEqual([1, 1, 2]);
  });
});
