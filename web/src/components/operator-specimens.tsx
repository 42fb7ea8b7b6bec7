import '../styles/targets.css';
import '../styles/timeline.css';
import { Legend } from '../pages/service/timeline/legend.tsx';
import { RecordVerdict } from '../pages/service/timeline/record-verdict.tsx';
import { ServiceCounts } from '../pages/targets/service-counts.tsx';
import { SAMPLE_PIECES } from './sample-pieces.ts';
import type { Specimen } from './specimen.ts';

/** Components of the pages for operators: targets and evidence. */
export const OPERATOR_SPECIMENS: readonly Specimen[] = [
  {
    name: 'record-verdicts',
    content: SAMPLE_PIECES.map((piece) => (
      <p key={piece.evidence.position}>
        <RecordVerdict piece={piece} />
      </p>
    )),
  },
  {
    name: 'evidence-signs',
    content: (
      <div className="timeline">
        <Legend />
      </div>
    ),
  },
  {
    name: 'service-counts',
    content: (
      <>
        <p>
          <ServiceCounts
            target="prod"
            counts={[
              { mark: 'running', word: 'running', count: 9 },
              { mark: 'starting', word: 'in progress', count: 2 },
              { mark: 'degraded', word: 'degraded', count: 1 },
              { mark: 'failed', word: 'failed', count: 2 },
              { mark: 'unknown', word: 'unknown', count: 1 },
            ]}
          />
        </p>
        <p>
          <ServiceCounts target="edge" counts={undefined} />
        </p>
      </>
    ),
  },
];
