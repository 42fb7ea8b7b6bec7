import { expect, it } from 'vitest';
import { instance } from '../../../test/verbs/agent.ts';
import { newLab, ORG, WEB } from '../../../test/verbs/driver.ts';
import { starting } from '../../../test/verbs/life.ts';
import { NO_VALUES } from '../../redact/secret-values.ts';
import { instancesOf } from './observed.ts';

it('an instance that two scopes show is told once, as it was seen last', async () => {
  const lab = newLab();
  const agent = await starting(lab, { replicas: 2 });
  await agent.sees([instance('u1'), instance('u2')], [], { scope: 'east', seq: '1' });
  await lab.tick(1_000);
  await agent.sees([instance('u1', { ready: false })], [], { scope: 'west', seq: '1' });
  const told = await instancesOf(lab.host, ORG, WEB, null, false, NO_VALUES);
  expect(told.map(({ uid, ready }) => [uid, ready]).sort()).toEqual([
    ['u1', false],
    ['u2', true],
  ]);
});
