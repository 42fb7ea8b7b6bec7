import '../styles/targets.css';
import '../styles/timeline.css';
import type { State } from '../../../src/contract/vocabulary.ts';
import { Legend } from '../pages/service/timeline/legend.tsx';
import { RecordVerdict } from '../pages/service/timeline/record-verdict.tsx';
import type { ServiceCount } from '../pages/targets/counts.ts';
import { ServiceCounts } from '../pages/targets/service-counts.tsx';
import { SAMPLE_PIECES } from './sample-pieces.ts';
import type { Specimen } from './specimen.ts';

const counted = (mark: State, word: string, count: number): ServiceCount => ({
  ...{ mark, word, count, address: '/?target=prod', isLastKnown: false },
});

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
            unread={['data']}
            counts={[
              counted('failed', 'failed', 2),
              counted('degraded', 'degraded', 1),
              counted('unknown', 'unknown', 1),
              counted('starting', 'in progress', 2),
              counted('running', 'running', 9),
            ]}
          />
        </p>
        <p>
          <ServiceCounts
            unread={[]}
            counts={[{ ...counted('unknown', 'starting when last seen', 1), isLastKnown: true }]}
          />
        </p>
        <p>
          <ServiceCounts unread={[]} counts={[]} />
        </p>
      </>
    ),
  },
];
