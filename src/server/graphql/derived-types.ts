import { actedSchema, claimSchema, transitionSchema } from '../../contract/answers/claim.ts';
import { agentsSchema, reportedSchema } from '../../contract/answers/fleet.ts';
import { evidencePageSchema, revisionSchema } from '../../contract/answers/history.ts';
import { containerSchema, instanceSchema, serviceEntrySchema } from '../../contract/report.ts';
import { TypeWriter } from './types-of-schemas.ts';

/** Types inside others that are named by the contract, or are the same in several places. */
const NAMED = {
  'Claim.desired': 'Declared',
  'Claim.lastKnown': 'LastKnown',
  'Claim.actions': 'ActionDecision',
  'Deployed.claim': 'Claim',
  'Deployed.changes': 'FieldChange',
  'Transition.claim': 'Claim',
  'Revision.attempts': 'Attempt',
  'Attempt.stages': 'StageTime',
  'Attempt.build': 'BuildStep',
  'Revision.recoveries': 'Recovery',
  'RevisionChanged.fields': 'FieldChange',
  'RevisionProvenance.images': 'Image',
  'Agent.scopes': 'AgentScope',
  'AgentScope.denied': 'DeniedPermission',
  'PodStatusInput.containers': 'ContainerStatusInput',
  'DeploymentStatusInput.generation': 'GenerationInput',
};

/** The types that GraphQL and HTTP have in common, from the schemas of HTTP. */
export function derivedTypes(): string {
  const transition = transitionSchema.extend({
    service: claimSchema.shape.service,
    claim: claimSchema.nullable().describe('After it; null in lists, and where it can no longer be told.'),
  });
  return new TypeWriter(NAMED)
    .words('State')
    .words('Phase')
    .words('Verdict')
    .output('Claim', claimSchema)
    .output('Deployed', actedSchema)
    .output('Transition', transition)
    .output('Revision', revisionSchema)
    .output('Evidence', evidencePageSchema.shape.items.element)
    .output('Agent', agentsSchema.shape.items.element)
    .output('ContainerStatus', containerSchema)
    .output('RejectedItem', reportedSchema.shape.rejected.element)
    .output('Generation', serviceEntrySchema.shape.generation.unwrap().unwrap())
    .input('PodStatusInput', instanceSchema)
    .input('DeploymentStatusInput', serviceEntrySchema)
    .text();
}
