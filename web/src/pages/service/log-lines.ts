import type { LogLineView } from '../../../../src/contract/answers/views.ts';
import { get } from '../../api.ts';

/** The lines that a path of the API answers with, one JSON object per line. */
export async function logLines(path: string, signal: AbortSignal): Promise<readonly LogLineView[]> {
  const text = await get<string>(path, signal);
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LogLineView]));
}
