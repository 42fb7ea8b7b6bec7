import { expect, it } from 'vitest';
import { instance } from '../../../test/verbs/agent.ts';
import { newLab } from '../../../test/verbs/driver.ts';
import { starting } from '../../../test/verbs/life.ts';
import { visible } from '../../../test/verbs/visible.ts';
import { NO_VALUES } from '../../redact/secret-values.ts';
import { instancesOf } from './observed.ts';

it('an instance in two scopes is shown once, as it was observed last', async () => {
  const lab = newLab();
  const agent = await starting(lab, { replicas: 2 });
  await agent.sees([instance('u1'), instance('u2')], [], { scope: 'east', seq: '1' });
  await lab.tick(1_000);
  await agent.sees([instance('u1', { ready: false })], [], { scope: 'west', seq: '1' });
  const instances = await instancesOf(lab.host, lab.caller('vera', 'viewer'), visible(lab), null, NO_VALUES);
  expect(instances.map(({ uid, ready }) => [uid, ready]).sort()).toEqual([
    ['u1', false],
    ['u2', true],
  ]);
  expect(
    instances.every((one) => !('fence' in one)),
    'a fact for operators',
  ).toBe(true);
  const seen = await instancesOf(lab.host, lab.caller('otto', 'operator'), visible(lab), null, NO_VALUES);
  expect(seen.every((one) => 'fence' in one)).toBe(true);
});
