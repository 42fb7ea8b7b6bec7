/** Says where lines of a log are missing, and how many. Zero: they were not counted. */
export function droppedLines(count: number): string {
  if (count === 0) return 'lines are missing here';
  return count === 1 ? '1 line was dropped here' : `${count.toLocaleString('en-US')} lines were dropped here`;
}

/** Stands where an app wrote faster than its output could be sent on. */
export const droppedOutput = (count: number) =>
  `[${droppedLines(count)}: more was written than could be sent in time]`;
