import { expect, it } from 'vitest';
import { ruleRequest } from './rule-request.ts';

it('a rule is made of what somebody typed, in any order and with any spaces', () => {
  expect(ruleRequest(' shop, data  shop', ' app=web ', true)).toEqual({
    namespaces: ['shop', 'data'],
    selector: 'app=web',
    ask: true,
  });
  expect(ruleRequest('shop, *', '', false)).toEqual({ namespaces: ['*'], selector: null, ask: false });
  expect(ruleRequest('  ', ' ', false).namespaces).toEqual(['*']);
});
