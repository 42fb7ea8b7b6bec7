import '../styles/service.css';
import '../styles/time-machine.css';
import type { LogLineView } from '../../../src/contract/answers/views.ts';
import { CaseFile } from '../pages/service/case-file.tsx';
import { Cause } from '../pages/service/cause.tsx';
import { DeclaredTable } from '../pages/service/declared-table.tsx';
import { Instances } from '../pages/service/instances.tsx';
import { lineName } from '../pages/service/log-address.ts';
import { LogTail } from '../pages/service/log-tail.tsx';
import { LogText } from '../pages/service/log-text.tsx';
import { questionOf } from '../pages/service/next/question.tsx';
import { ProofLine } from '../pages/service/proof-line.tsx';
import { RevisionTable } from '../pages/service/revisions/revision-table.tsx';
import { ServingAndWanted } from '../pages/service/serving-wanted.tsx';
import { Verdict } from '../pages/service/verdict.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import {
  SAMPLE_CLAIMS,
  SAMPLE_LOST_POD,
  SAMPLE_PODS,
  SAMPLE_PROCESSES,
  SAMPLE_REVISIONS,
  type SampleClaim,
} from './sample-claims.ts';
import { SAMPLE_NOW } from './sample-rows.ts';
import { SAMPLE_CHANGES } from './samples.ts';
import type { Specimen } from './specimen.ts';

const OPERATOR = { role: 'operator', org: 'default', name: 'sam', session: null } as const;
const SPEC = { port: 'auto', replicas: 2, stabilityMs: 3_000 } as const;

const WholeVerdict = ({ of }: { readonly of: SampleClaim }) => (
  <Verdict {...of} exactly={null} held={null} exits={0}>
    <ServingAndWanted {...of} revisions={SAMPLE_REVISIONS} instances={SAMPLE_PROCESSES} wanted={null} />
  </Verdict>
);

const InRail = ({ of }: { readonly of: SampleClaim }) => (
  <div style={{ width: 372 }}>
    <CaseFile
      servingCopies={2}
      {...of}
      revisions={SAMPLE_REVISIONS}
      session={OPERATOR}
      failure={null}
      witnesses="process, direct request"
      cameNext={<p>Failed, 8 s later.</p>}
    />
  </div>
);

const lines = [
  '> node dist/server.js',
  'Error: DATABASE_URL is required',
  '    at required (config.js:14:11)',
];

const LOG: readonly LogLineView[] = lines.map((line, seq) => ({
  ...{ service: 'checkout.shop@prod', revision: 42, attempt: 1, instance: 'checkout-3' },
  ...{ stream: 'run', seq: String(seq), line },
  // The first was written the day before.
  at: new Date(seq === 0 ? SAMPLE_NOW - 86_400_000 : SAMPLE_NOW).toISOString(),
}));

const LONG_LOG = Array.from({ length: 9 }, (_, seq) => ({
  ...{ service: 'checkout.shop@prod', revision: 42, attempt: 1, instance: null, stream: 'build' as const },
  ...{ seq: String(seq), at: new Date(SAMPLE_NOW + seq * 40).toISOString() },
  line: `compiling ${seq + 1} of 214 files${' into one'.repeat(seq === 7 ? 30 : 0)}`,
}));

const Question = ({ of, action }: { readonly of: SampleClaim; readonly action: 'restart' | 'teardown' }) => {
  const button = { action, whyNot: null, forcible: null, isNext: false };
  const question = questionOf(button, of.dated, of.claimView, SAMPLE_REVISIONS, 2);
  return (
    <ConfirmDialog
      question={{ ...question, stale: null }}
      mayForce
      onAnswer={() => Promise.resolve()}
      onClose={() => {}}
    />
  );
};

const instances = { readAt: 0, isReading: false, isOperator: true, kept: new Set<number>(), isAsked: true };

const DECLARED = [
  { what: 'Revision', declared: 'r42', observed: '1 copy of r42, 2 of r41', agrees: false },
  { what: 'Copies', declared: '2', observed: '2 ready of r42', agrees: true },
  { what: 'Image', declared: 'shop/web:2', observed: 'sha256:9b1f9b1f9b1f…', agrees: null },
] as const;

/** The parts of the page of one service. */
export const SERVICE_SPECIMENS: readonly Specimen[] = [
  {
    name: 'verdicts',
    content: Object.entries(SAMPLE_CLAIMS).map(([name, of]) => <WholeVerdict key={name} of={of} />),
  },
  {
    name: 'cause',
    content: (
      <div className="card verdict-card">
        <Cause
          claim={SAMPLE_CLAIMS.failed.dated.claim}
          at={null}
          failure={{
            output: { lines, headline: lines[1] ?? null },
            ending: null,
            sources: LOG,
            changes: SAMPLE_CHANGES,
            named: new Set(['DATABASE_URL']),
            missing: ['DATABASE_URL'],
          }}
        />
      </div>
    ),
  },
  {
    name: 'proof-lines',
    isWide: true,
    content: [SAMPLE_CLAIMS.failed, SAMPLE_CLAIMS.exited, SAMPLE_CLAIMS.silent].map((of) => (
      <ProofLine key={of.dated.claim.state} {...of} revision={SAMPLE_REVISIONS[0] ?? null} spec={SPEC} />
    )),
  },
  {
    name: 'instances',
    isWide: true,
    content: (
      <>
        <Instances {...instances} {...SAMPLE_CLAIMS.failed} instances={SAMPLE_PROCESSES} template={null} />
        <Instances {...instances} {...SAMPLE_CLAIMS.failed} instances={SAMPLE_PODS} template={null} />
        <Instances {...instances} {...SAMPLE_CLAIMS.failed} instances={SAMPLE_LOST_POD} template={null} />
        <Instances {...instances} {...SAMPLE_CLAIMS.silent} instances={SAMPLE_PROCESSES} template={null} />
      </>
    ),
  },
  {
    name: 'declared-and-observed',
    content: [true, false].map((isKnown) => (
      <div key={`${isKnown}`} className="card" style={{ width: 372 }}>
        <DeclaredTable rows={DECLARED} isKnown={isKnown} />
      </div>
    )),
  },
  {
    name: 'case-files',
    content: (['failed', 'silent', 'lost', 'past'] as const).map((name) => (
      <InRail key={name} of={SAMPLE_CLAIMS[name]} />
    )),
  },
  {
    name: 'revision-table',
    isWide: true,
    content: (
      <RevisionTable
        {...{ revisions: SAMPLE_REVISIONS, claim: SAMPLE_CLAIMS.failed.dated.claim, isLive: true }}
        {...{ isPast: false, now: SAMPLE_NOW, sinceRead: 0, most: null }}
        named={new Set(['DATABASE_URL'])}
        backTo={(revision) => (revision === 41 ? '/' : null)}
      />
    ),
  },
  {
    name: 'log-text',
    content: (
      <div className="card logs">
        <div className="lines mono" style={{ height: 180, minHeight: 0 }}>
          <LogText
            exits={[new Date(SAMPLE_NOW).toISOString()]}
            withNames={false}
            lines={LOG}
            sought={LOG[2] === undefined ? null : lineName(LOG[2])}
            now={SAMPLE_NOW}
            search="required"
            addressOf={() => '/'}
          />
        </div>
      </div>
    ),
  },
  {
    name: 'log-tails',
    isWide: true,
    content: (
      <>
        <LogTail revision={42} stream="build" lines={LONG_LOG} whole="/" />
        <LogTail revision={42} stream="run" lines={LOG.slice(1)} whole="/" />
        <LogTail revision={42} stream="run" lines={[]} whole="/" />
      </>
    ),
  },
  {
    name: 'question-silent-target',
    frame: { width: 660, height: 340 },
    content: <Question of={SAMPLE_CLAIMS.silent} action="restart" />,
  },
  {
    name: 'question-teardown',
    frame: { width: 660, height: 400 },
    content: <Question of={SAMPLE_CLAIMS.failed} action="teardown" />,
  },
];
