import { expect, it } from 'vitest';
import { withoutCommands } from './event-text.ts';

it.each([
  [
    'unable to start container process: exec: "/nope": stat /nope: no such file or directory',
    'unable to start container process: exec: "…": stat …: no such file or directory',
  ],
  ['exec: "run-secret": executable file not found in $PATH', 'exec: "…": executable file not found in $PATH'],
  ['exec: "/a very long path that was cu…', 'exec: "…"'],
  ['fork/exec /opt/app: exec format error', 'fork/exec …: exec format error'],
  [
    'Exec lifecycle hook ([sh -c curl -u me:pw]) for Container "app" failed',
    'Exec lifecycle hook […] for Container "app" failed',
  ],
  [
    'Readiness probe failed: command "cat /key \\"x\\"" timed out',
    'Readiness probe failed: command "…" timed out',
  ],
  [
    'Back-off restarting failed container app in pod web-1',
    'Back-off restarting failed container app in pod web-1',
  ],
  ['Failed to pull image "app:1": not found', 'Failed to pull image "app:1": not found'],
])('%s', (text, shown) => {
  expect(withoutCommands(text)).toBe(shown);
});
