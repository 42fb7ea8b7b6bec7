import { expect, it } from 'vitest';
import { noAgentHint } from './targets.ts';

it('says that no agent has registered for a target, and which one was probably meant', () => {
  expect(noAgentHint('prod', ['prod', 'lab'])).toBeNull();
  expect(noAgentHint('prdo', ['prod', 'lab'])).toContain('Did you mean prod?');
  expect(noAgentHint('kiosk', ['prod', 'lab'])).toContain('Targets with one: lab, prod.');
  expect(noAgentHint('kiosk', [])).toContain('No target has one yet.');
});
