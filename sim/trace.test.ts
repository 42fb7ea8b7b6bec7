import { expect, it } from 'vitest';
import { runSchedule } from './schedule.ts';
import { traceOf } from './trace.ts';

it('a trace tells the universe, the faults that strike, the calm, and how each service ends', async () => {
  const text = (await traceOf(17, 120)).join('\n');
  expect(text).toMatch(/^seed {8}17: 120 steps with faults/);
  expect(text).toContain('service     web2@lab of acme');
  expect(text).toMatch(/\n {14}FAULT {2}request repeated after its answer/);
  expect(text).toMatch(/\n {14}wants {2}web2@lab r1 {2}deploy \{.*"deadlines"/);
  expect(text).toMatch(/asks to deploy source web2@lab is answered: r1 a1/);
  expect(text).toContain('----- faults stop here');
  expect(text).toMatch(/\nended {7}at rest/);
  expect(text).toMatch(/\nEND {4}web2@lab {2}\w+ at r\d+ a\d+/);
  expect(text).toMatch(/\n {9}truth {2}\w/);
  expect(text).toMatch(/\nno violation$/);
});

it('a trace changes nothing in its schedule', async () => {
  const lines = await traceOf(291, 120);
  const { steps } = await runSchedule(291, { steps: 120 });
  const numbered = lines.filter((line) => /^ *\d+ +[\d.]+s /.test(line));
  expect(numbered).toHaveLength(steps);
});
