/**
 * The meaning of a word. A terminal shows it as a colour, a pipe not at all; no meaning rests on colour
 * alone.
 */
export type Tone = 'plain' | 'strong' | 'quiet' | 'good' | 'busy' | 'doubt' | 'bad';
export type StyledText = readonly [text: string, tone?: Tone];
export type StyledLine = readonly StyledText[];

const columnsOf = (text: string) => [...text].length;
export const widthOf = (line: StyledLine) => line.reduce((sum, [text]) => sum + columnsOf(text), 0);

/** Cuts a line to the terminal's width: a line that wraps by itself would break the redrawing. */
export function fitted(line: StyledLine, width: number): StyledLine {
  if (widthOf(line) <= width) return line;
  const spans: StyledText[] = [];
  let left = Math.max(1, width) - 1;
  for (const [text, tone = 'plain'] of line) {
    const points = [...text];
    if (points.length > left) {
      spans.push([`${points.slice(0, left).join('').trimEnd()}…`, tone]);
      break;
    }
    spans.push([text, tone]);
    left -= points.length;
  }
  return spans;
}

/** Wraps words into lines of at most `width`; a longer word is broken. */
export function wrap(text: string, width: number): string[] {
  const room = Math.max(1, width);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    let rest = word;
    if (line !== '' && columnsOf(line) + 1 + columnsOf(rest) <= room) {
      line = `${line} ${rest}`;
      continue;
    }
    if (line !== '') lines.push(line);
    for (; columnsOf(rest) > room; rest = [...rest].slice(room).join(''))
      lines.push([...rest].slice(0, room).join(''));
    line = rest;
  }
  return line === '' ? lines : [...lines, line];
}

export const textOf = (line: StyledLine) => line.map(([text]) => text).join('');
