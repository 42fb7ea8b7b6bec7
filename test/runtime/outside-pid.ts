import { readFileSync } from 'node:fs';
import { INSTANCE_VARIABLE } from '../../src/runtime/process/environment.ts';
import { markedWith } from '../../src/runtime/process/proc.ts';

/** The number by which the machine knows a process of an instance that may know itself by another, in a namespace. */
export const outsidePid = (uid: string, pid: number): number =>
  outsidePidWith(INSTANCE_VARIABLE, (value) => value === uid, pid);

/** The same for a process that is known by a variable of its environment. */
export function outsidePidWith(variable: string, is: (value: string) => boolean, pid: number): number {
  const found = markedWith(variable)
    .filter(({ value }) => is(value))
    .map(({ id }) => numbersOf(id.pid))
    .filter((numbers) => numbers.at(-1) === pid)
    .sort((a, b) => b.length - a.length);
  const outermost = found[0]?.[0];
  if (outermost === undefined) throw new Error(`there is no such process ${pid}`);
  return outermost;
}

/** The numbers of a process, from the outermost namespace that we see to its own. */
const numbersOf = (pid: number) =>
  (/^NSpid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '').split(/\s+/).map(Number);
