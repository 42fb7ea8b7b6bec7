import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { listeningSockets } from '../../src/runtime/process/listening-sockets.ts';
import { processTable } from '../../src/runtime/process/members.ts';
import { identify, isAlive, markedWith } from '../../src/runtime/process/proc.ts';

/** A process without a descriptor left, that looks at a live process and at one that is gone. Prints what it found. */
const child = spawn('sleep', ['60'], { stdio: 'ignore' });
const id = identify(child.pid ?? 0);
if (id === null) throw new Error('no child');
const said = (look: () => unknown) => {
  try {
    return look();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
};
const look = () => ({
  alive: said(() => isAlive(id)),
  marked: said(() => markedWith('PATH').length > 0),
  listening: said(() => listeningSockets() !== null),
  members: said(() => processTable().has(id.pid)),
});
const before = look();
try {
  for (;;) openSync('/dev/null', 'r');
} catch {
  // All are taken.
}
const without = look();
child.kill('SIGKILL');
process.stdout.write(JSON.stringify({ before, without }));
process.exit(0);
