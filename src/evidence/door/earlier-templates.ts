import type { ServedStamp } from '../../contract/evidence.ts';
import { intact } from '../../store/broken-row.ts';
import type { ReadTx } from '../../store/port.ts';

/** Copies of a template that was wanted longer ago are those of another rollout: they are not looked for. */
const LOOKED_AT = 8;

/** The templates of the revisions before one, the newest first: in observe mode a copy names no revision. */
export async function earlierTemplates(
  tx: Pick<ReadTx, 'readAll'>,
  { org, service }: { readonly org: string; readonly service: string },
  before: number,
): Promise<readonly ServedStamp[]> {
  const first = Math.max(1, before - LOOKED_AT);
  const keys = Array.from({ length: Math.max(0, before - first) }, (_, i) => ({
    org,
    service,
    revision: first + i,
  }));
  if (keys.length === 0) return [];
  const [rows] = await tx.readAll([{ table: 'revisions', keys }]);
  return rows
    .flatMap((row) => intact(row) ?? [])
    .flatMap(({ revision, template }) => (template === null ? [] : [{ revision, attempt: 1, template }]))
    .toSorted((a, b) => b.revision - a.revision);
}
