import type { EvidenceView } from '../../../../../src/contract/answers/views.ts';

/** Gives the records to the browser as a file, one per line, oldest first as the ledger has them. */
export function downloadRecords(service: string, newestFirst: readonly EvidenceView[]): void {
  const lines = [...newestFirst].reverse().map((record) => `${JSON.stringify(record)}\n`);
  const address = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `evidence-${service}.ndjson`;
  link.click();
  // The browser has begun to read it by the next turn.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
