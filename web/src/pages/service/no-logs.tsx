import { inCluster, KEEPS_NO_OUTPUT } from '../../../../src/contract/presentation/no-output.ts';
import type { WorkloadView } from '../../../../src/contract/presentation/workload.ts';
import { CopyField } from '../../parts/copy-field.tsx';

/** Takes the place of the log of a workload of a cluster: a page that waited for output would wait for ever. */
export const NoLogs = ({ workload }: { readonly workload: WorkloadView }) => (
  <section className="card" id="log" aria-label="Logs">
    <h2>Log</h2>
    <p>{KEEPS_NO_OUTPUT} Its cluster has it:</p>
    <CopyField label="Command that shows its output" value={inCluster(workload)} isQuiet />
  </section>
);
