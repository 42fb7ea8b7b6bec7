import { expect, it } from 'vitest';
import { runSchedule } from './schedule.ts';
import { traceOf } from './trace.ts';

it('a trace shows the universe, the faults that strike, the calm, and how each service ends', async () => {
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

it('a trace does not change its schedule', async () => {
  const lines = await traceOf(291, 120);
  const { steps } = await runSchedule(291, { steps: 120 });
  const numbered = lines.filter((line) => /^ *\d+ +[\d.]+s /.test(line));
  expect(numbered).toHaveLength(steps);
});

it('a trace shows every position of every ledger once, as evidence, as a claim or as an alarm', async () => {
  const lines = await traceOf(291, 300);
  const positions = new Map<string, number[]>();
  for (const line of lines) {
    const [, , org = '', position] = /^ {14}(ledger|CLAIM|ALARM)(?: of (\w+))? (\d+) /.exec(line) ?? [];
    if (position !== undefined) positions.set(org, [...(positions.get(org) ?? []), Number(position)]);
  }
  expect([...positions.keys()].sort()).toEqual(['acme', 'umbrella']);
  for (const found of positions.values())
    expect(found.sort((a, b) => a - b)).toEqual(found.map((_, index) => index + 1));
});

it('a trace names evidence by its position, and everybody with their org if there are two', async () => {
  const text = (await traceOf(291, 300)).join('\n');
  const cited = [...text.matchAll(/CLAIM .* because of (\S+)$|^ {9}cites {2}(.*?)(?:;|$)/gm)].map(
    ([, by, all]) => by ?? all ?? '',
  );
  expect(cited.length).toBeGreaterThan(20);
  for (const evidence of cited.flatMap((one) => one.split(', ')))
    expect(evidence).toMatch(/^(?:e\d+(?: [a-z_.]+)?|nothing.*)$/);
  expect(text).toMatch(/ umbrella:client-\d asks to deploy \w+ shop\d@lab arrives \(server-\d\)\n/);
  expect(text).toContain('a reader connects (umbrella:reader)');
  expect(text).toMatch(/\n {9}serves (?:r\d+ a\d+|nothing that is proven)\n/);
  const one = (await traceOf(17, 120)).join('\n');
  expect(one).not.toMatch(/^ *\d+ +[\d.]+s .*acme:/m);
});
