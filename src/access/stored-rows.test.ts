import { describe, expect, it } from 'vitest';
import type { TokenRole } from '../contract/vocabulary.ts';
import { mayFetchBytes } from './artifact-bytes.ts';
import { authorize, type Bearer } from './authorize.ts';
import { seesTarget } from './binding.ts';
import { isHolder } from './lease-holder.ts';
import { type LineOrigin, maySendLine, type RecordedOrigin } from './log-lines.ts';

const caller = (role: TokenRole, more: Partial<Bearer> = {}): Bearer => ({
  org: 'default',
  role,
  name: `${role}-1`,
  target: '*',
  service: '*',
  ...more,
});
const SERVICE = 'web@lab';

describe('lines of logs', () => {
  const build: LineOrigin = { service: SERVICE, stream: 'build' };
  const run: LineOrigin = { service: SERVICE, stream: 'run' };
  const builds = (holder = 'builder-1'): RecordedOrigin => ({
    stream: 'build',
    builds: [{ id: 'c1', fence: '2', holder }],
  });
  const recorded: RecordedOrigin = { stream: 'run', epoch: '7', service: SERVICE, holder: 'agent-1' };

  it('of a build are its holder’s', () => {
    expect(maySendLine(caller('builder'), build, builds())).toBe(true);
    expect(maySendLine(caller('builder'), { ...build, command: 'c1', fence: '2' }, builds())).toBe(true);
    expect(maySendLine(caller('builder'), build, builds('builder-2'))).toBe(false);
    expect(maySendLine(caller('builder'), { ...build, fence: '1' }, builds())).toBe(false);
    expect(maySendLine(caller('builder'), { ...build, command: 'c2' }, builds())).toBe(false);
    expect(maySendLine(caller('agent', { name: 'builder-1' }), build, builds())).toBe(false);
  });

  it('of an instance come from an agent, and name nothing false', () => {
    expect(maySendLine(caller('agent'), run, recorded)).toBe(true);
    expect(maySendLine(caller('agent'), { ...run, command: 'c1', fence: '2', epoch: '7' }, recorded)).toBe(
      true,
    );
    expect(maySendLine(caller('agent'), { ...run, epoch: '6' }, recorded)).toBe(false);
    const foreign: RecordedOrigin = { ...recorded, service: 'api@lab' };
    expect(maySendLine(caller('agent'), { ...run, command: 'c1' }, foreign)).toBe(false);
    const other = caller('agent', { name: 'agent-2' });
    expect(maySendLine(other, { ...run, command: 'c1', fence: '2' }, recorded)).toBe(false);
    expect(maySendLine(other, { ...run, command: 'c1' }, recorded), 'no fence, no holder').toBe(true);
    expect(maySendLine(caller('builder'), run, recorded)).toBe(false);
  });

  it('outside the binding are nobody', () => {
    expect(maySendLine(caller('agent', { target: 'edge' }), run, recorded)).toBe(false);
    expect(maySendLine(caller('builder', { service: 'api@*' }), build, builds())).toBe(false);
  });
});

it('bytes are for their sender, for callers without a binding, and for those bound to one of their services', () => {
  const bound = caller('agent', { target: 'lab' });
  expect(mayFetchBytes(bound, { isSender: true, services: [] })).toBe(true);
  expect(mayFetchBytes(bound, { isSender: false, services: [] })).toBe(false);
  expect(mayFetchBytes(bound, { isSender: false, services: ['api@edge', SERVICE] })).toBe(true);
  expect(mayFetchBytes(bound, { isSender: false, services: ['api@edge'] })).toBe(false);
  expect(mayFetchBytes(caller('agent'), { isSender: false, services: [] })).toBe(true);
});

it('a target is shown inside the binding; to callers bound to services, if it has one of these', () => {
  const [has, hasNone] = [() => true, () => false];
  expect(seesTarget(caller('viewer'), 'lab', hasNone)).toBe(true);
  expect(seesTarget(caller('viewer', { target: 'edge' }), 'lab', has)).toBe(false);
  expect(seesTarget(caller('viewer', { service: 'web@*' }), 'lab', has)).toBe(true);
  expect(seesTarget(caller('viewer', { service: 'web@*' }), 'lab', hasNone)).toBe(false);
  expect(seesTarget(caller('viewer'), undefined, hasNone)).toBe(true);
  expect(seesTarget(caller('viewer', { target: 'lab' }), undefined, has)).toBe(false);
});

it('a lease is held by name, role and binding together', () => {
  const lease = { caller: 'agent-1', kind: 'apply', service: SERVICE } as const;
  expect(isHolder(caller('agent'), lease)).toBe(true);
  expect(isHolder(caller('agent', { name: 'agent-2' }), lease)).toBe(false);
  expect(isHolder(caller('builder', { name: 'agent-1' }), lease)).toBe(false);
  expect(isHolder(caller('agent', { target: 'edge' }), lease)).toBe(false);
});

it('an agent that requests work names its target', () => {
  expect(authorize(caller('agent'), { operation: 'work', kinds: ['apply'] })).toMatchObject({
    code: 'invalid_request',
  });
  expect(authorize(caller('builder'), { operation: 'work', kinds: ['build'] })).toMatchObject({ ok: true });
});
