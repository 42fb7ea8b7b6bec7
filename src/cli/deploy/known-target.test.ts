import { describe, expect, it } from 'vitest';
import type { TargetView } from '../../contract/answers/views.ts';
import { checkTarget } from './known-target.ts';

const targets = (...names: string[]) => names.map((target) => ({ target }) as TargetView);

describe('the target of a deploy', () => {
  it('is one that the server knows, or the first of all', () => {
    expect(() => checkTarget('web@prod', targets('local', 'prod'))).not.toThrow();
    expect(() => checkTarget('web@prod', [])).not.toThrow();
  });

  it.each([
    [['local', 'prod'], 'No target “prdo”. Did you mean prod?'],
    [['local', 'edge'], 'No target “prdo”. There is local, edge.'],
    [['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'], 'h and 2 more.'],
  ])('is refused where there is %j', (names, sentence) => {
    expect(() => checkTarget('web@prdo', targets(...names))).toThrow(sentence);
  });
});
