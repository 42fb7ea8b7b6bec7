import { useState } from 'react';
import type { LogLineView } from '../../../../src/contract/answers/views.ts';
import { downloadLines } from '../../parts/download.ts';
import { Icon } from '../../parts/icon.tsx';
import { allLines } from './log-reading.ts';

interface Props {
  readonly fileName: string;
  /** The path of the API that answers with the lines. */
  readonly source: string;
  /** No line that was written after this instant; null: all. */
  readonly until: number | null;
}

/** Reads the whole log, of which the page draws the newest part, and gives it to the browser as a file. */
export function LogDownload({ fileName, source, until }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const download = async () => {
    setProblem(null);
    try {
      const lines = await allLines(source, AbortSignal.timeout(PATIENCE_MS));
      const then = lines.filter(({ at }) => until === null || Date.parse(at) <= until);
      downloadLines(fileName, 'text/plain', then.map(textOf));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => void download()}>
        <Icon name="download" />
        Download
      </button>
      {problem !== null && <span role="alert">{problem}</span>}
    </>
  );
}

const PATIENCE_MS = 30_000;

const textOf = ({ at, instance, line }: LogLineView): string =>
  [at, ...(instance === null ? [] : [instance]), line].join(' ');
