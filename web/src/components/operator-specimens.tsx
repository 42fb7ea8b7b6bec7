import '../styles/targets.css';
import '../styles/timeline.css';
import type { State } from '../../../src/contract/vocabulary.ts';
import { Legend } from '../pages/service/timeline/legend.tsx';
import { RecordVerdict } from '../pages/service/timeline/record-verdict.tsx';
import { AdviceSteps } from '../pages/targets/advice-steps.tsx';
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
    name: 'advice-steps',
    content: (
      <div className="target-facts">
        <div className="what-to-do">
          <AdviceSteps
            moments={[]}
            serverNow={null}
            advice={{
              steps: [
                {
                  lead: 'Look at edge itself: is it on, and is it on the network?',
                  text: 'From here, a stopped agent and a cut line look the same.',
                  ...{ command: null, after: null },
                },
                {
                  lead: 'Only if its agent has ended, start that again.',
                  text: '',
                  command: { line: 'evident agent --target edge', where: 'Run on the machine that is edge:' },
                  after: 'It takes over what runs there.',
                },
              ],
            }}
          />
        </div>
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
