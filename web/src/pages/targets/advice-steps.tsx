import { CopyField } from '../../parts/copy-field.tsx';
import { DatedText } from '../../parts/dated-text.tsx';
import type { Advice, AdviceStep } from './advice.ts';

interface Props {
  readonly advice: Pick<Advice, 'steps'>;
  /** The moments that its sentences may name. */
  readonly moments: readonly string[];
  readonly serverNow: number | null;
}

/** Lists the steps that mend one trouble of a target, numbered if there are several. */
export function AdviceSteps({ advice: { steps }, ...dated }: Props) {
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return <Step step={only} {...dated} />;
  return (
    <ol className="advice-steps">
      {steps.map((step) => (
        <li key={step.lead ?? step.text}>
          <Step step={step} {...dated} />
        </li>
      ))}
    </ol>
  );
}

interface StepProps extends Omit<Props, 'advice'> {
  readonly step: AdviceStep;
}

function Step({ step: { lead, text, command, after }, moments, serverNow }: StepProps) {
  return (
    <>
      {lead !== null && (
        <p>
          <b>{lead}</b>
        </p>
      )}
      {text !== '' && (
        <p>
          <DatedText text={text} moments={moments} serverNow={serverNow} />
        </p>
      )}
      {command !== null && (
        <>
          <p className="soft">{command.where}</p>
          <CopyField label={command.where.replace(':', '')} value={command.line} isQuiet />
        </>
      )}
      {after !== null && <p className="soft">{after}</p>}
    </>
  );
}
