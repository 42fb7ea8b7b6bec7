import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Processes of the lab's pods by their command line: each is in a cgroup that is named after the lab. */
export function processesOf(dir: string, command: string): number[] {
  const place = readFileSync(join(dir, 'bridge'), 'utf8').trim();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const isApp = words.startsWith(command) || words === `/bin/${command}`;
        return isApp && readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(place);
      } catch {
        return false;
      }
    })
    .map(Number);
}
