import { expect, it } from 'vitest';
import { RecentFiles } from './recent-files.ts';
import type { ServiceFile } from './service-file.ts';

const left = (service: string, position: string) => ({ service, recorded: { position } }) as ServiceFile;
const row = (service: string, position: string, recordedAt: number) => ({ service, position, recordedAt });

it('answers for the transition that was recorded, and for no other with its position (F54)', () => {
  const recent = new RecentFiles();
  recent.want('acme');
  recent.keep('acme', [left('web@lab', '7')], 1_000);
  expect(recent.after('acme', row('web@lab', '7', 1_000))?.at).toBe(1_000);
  expect(recent.after('acme', row('web@lab', '7', 2_000)), 'after a restore').toBeUndefined();
  expect(recent.after('acme', row('api@lab', '7', 1_000))).toBeUndefined();
});

it('keeps several transitions of a service, until the feed has passed them', () => {
  const recent = new RecentFiles();
  recent.want('acme');
  recent.keep('acme', [left('web@lab', '9')], 1_000);
  recent.keep('acme', [left('web@lab', '10')], 2_000);
  expect(recent.after('acme', row('web@lab', '9', 1_000))).toBeDefined();
  recent.forget('acme', '9');
  expect(recent.after('acme', row('web@lab', '9', 1_000))).toBeUndefined();
  expect(recent.after('acme', row('web@lab', '10', 2_000))).toBeDefined();
});
