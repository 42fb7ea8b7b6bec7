import { expect, it } from 'vitest';
import { running } from './life.ts';
import { newLab } from './driver.ts';
it('runs', async () => {
  const lab = newLab();
  await running(lab);
  console.log(await lab.claim(), await lab.path());
});
