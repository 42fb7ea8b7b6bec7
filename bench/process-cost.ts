import { readFileSync } from 'node:fs';

/** The cost of a process until now, as the system tells it. */
interface ProcessCost {
  readonly cpuMs: number;
  readonly bytes: number;
  readonly peakBytes: number;
}

/** Ticks of a processor per second that Linux counts in, on every machine of today. */
const TICKS = 100;

export function processCost(pid: number): ProcessCost {
  // The name of the program stands in brackets and may have spaces in it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]);
  return {
    cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS,
    bytes: kilobytes('VmRSS') * 1024,
    peakBytes: kilobytes('VmHWM') * 1024,
  };
}
