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
  [
    'Get "http://10.1.2.3:8080/ready": dial tcp 10.1.2.3:8080: connect: connection refused',
    'Get "http://[address]:8080/ready": dial tcp [address]:8080: connect: connection refused',
  ],
  [
    'Get "http://[fd00::1:2]:8080/": dial tcp [fd00::1:2]:8080: i/o timeout',
    'Get "http://[address]:8080/": dial tcp [address]:8080: i/o timeout',
  ],
  ['Successfully assigned to version 1.2.3.4.5', 'Successfully assigned to version 1.2.3.4.5'],
  ['Failed to pull image "app:1": not found', 'Failed to pull image "app:1": not found'],
])('%s', (text, shown) => {
  expect(withoutCommands(text)).toBe(shown);
});
