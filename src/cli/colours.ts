import pc from 'picocolors';
import type { StyledLine, Tone } from './proof/line.ts';

export type Paint = (line: StyledLine) => string;

/** Colours only on a terminal that shows them and to a person who wants them (NO_COLOR, FORCE_COLOR, --no-color). */
export function mayColour(
  stream: { readonly isTTY?: boolean },
  wanted: boolean,
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  if (!wanted || (env.NO_COLOR ?? '') !== '') return false;
  if ((env.FORCE_COLOR ?? '') !== '') return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

export function painter(coloured: boolean): Paint {
  const c = pc.createColors(coloured);
  const paints: Readonly<Record<Tone, (text: string) => string>> = {
    plain: (text) => text,
    strong: c.bold,
    quiet: c.dim,
    good: c.green,
    busy: c.cyan,
    doubt: c.yellow,
    bad: c.red,
  };
  return (line) =>
    line
      .map(([text, tone = 'plain']) => (text === '' ? '' : paints[tone](text)))
      .join('')
      .trimEnd();
}
