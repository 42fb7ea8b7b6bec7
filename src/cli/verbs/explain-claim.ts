import { isManagedElsewhere } from '../../contract/actions.ts';
import type { EvidenceView, InstanceView } from '../../contract/answers/views.ts';
import type { Claim } from '../../contract/claim.ts';
import { compareDigits, ZERO } from '../../contract/digits.ts';
import { exitsOfInstances } from '../../contract/presentation/exit-count.ts';
import { isLastKnown } from '../../contract/presentation/instance-age.ts';
import { titleAndMore, whoseMove } from '../../contract/presentation/moves.ts';
import { ago, span } from '../../contract/presentation/times.ts';
import { isUpForNow } from '../../contract/presentation/up-for-now.ts';
import { isOfRuns } from '../../contract/presentation/verdict.ts';
import { wordOf } from '../../contract/presentation/words.ts';
import { witness } from '../../contract/presentation/workload.ts';
import { STATE_WORDS } from '../../projection/messages.ts';
import { STATE_TABLE } from '../../projection/states.ts';
import { nextCommandLines } from '../proof/next-step.ts';
import { printedInstant } from './instant.ts';

export interface Chapter {
  readonly title: string;
  readonly sentences: readonly string[];
}

/**
 * A claim in sentences: what is claimed, on which evidence, how old that is, what would change it, whose move
 * it is. Everything is computed from the claim and the model; ages are by the server's clock.
 */
export function explainClaim(
  claim: Claim,
  evidence: readonly EvidenceView[] | null,
  instances: readonly InstanceView[] | null = null,
): Chapter[] {
  return [
    { title: 'What is claimed', sentences: claimed(claim) },
    ...(instances === null || instances.length === 0
      ? []
      : [
          {
            title: 'What was seen',
            sentences: instances.map((instance) => instanceSentence(instance, claim)),
          },
        ]),
    { title: 'On which evidence', sentences: proven(claim, evidence) },
    { title: 'How old it is', sentences: aged(claim) },
    { title: 'What would change it', sentences: changing(claim) },
    { title: 'Whose move it is', sentences: moving(claim) },
    ...(claim.operator === undefined
      ? []
      : [{ title: 'For operators', sentences: operating(claim.operator) }]),
  ];
}

function claimed(claim: Claim): string[] {
  const { service, state, since, now, desired, outcome, serving, lastServing, queued, lastKnown, message } =
    claim;
  const age = Date.parse(now) - Date.parse(since);
  return [
    `At ${printedInstant(now)}, ${service} is ${wordOf(state)}, since ${printedInstant(since)} (${ago(age)}).`,
    message.code === 'running.by_node' ? BY_NODE : tableWords(claim).meaning,
    titleAndMore(claim),
    ...(lastKnown === null || claim.message.body.includes('When last known')
      ? []
      : [`When last known, ${ago(lastKnown.ageMs)}, it was ${STATE_WORDS[lastKnown.state]}.`]),
    `Revision ${desired.revision}, attempt ${desired.attempt} is wanted, with ${desired.replicas} ${desired.replicas === 1 ? 'copy' : 'copies'}; how that ended: ${outcome.replaceAll('_', ' ')}.`,
    serving === null
      ? nothingSentence(claim)
      : `${servingSentence(claim, serving.revision)} (seen ${ago(Date.parse(now) - Date.parse(serving.asOf))}).`,
    ...(lastServing === null
      ? []
      : claim.nothingServes === undefined
        ? [
            `Revision ${lastServing.revision} ${isManagedElsewhere(claim.actions) ? 'was ready' : 'answered'} when last seen, ${ago(lastServing.ageMs)}, and is not proven gone.`,
          ]
        : [`Revision ${lastServing.revision} was last seen ${seenTo(claim)} ${ago(lastServing.ageMs)}.`]),
    ...queued.map(
      ({ revision, actor, since: at }) =>
        `Revision ${revision} of ${actor} waits behind it since ${printedInstant(at)}.`,
    ),
  ];
}

/** What another tool deploys was never told by us, nor was any work of ours revoked for it. */
const SEEN_ELSEWHERE: Partial<Record<Claim['state'], { readonly meaning: string; readonly proof: string }>> =
  {
    starting: {
      meaning: 'What its target declares is not proven to run yet.',
      proof: 'A fresh view of the target.',
    },
    failed: {
      meaning: 'It does not run as its target declares, and did not come to do so in time.',
      proof: 'A fresh observation; or a deadline that passed while it was observed.',
    },
  };

function tableWords({ state, actions }: Claim): { readonly meaning: string; readonly proof: string } {
  const { meaning, proof } = STATE_TABLE[state];
  const elsewhere = isManagedElsewhere(actions) ? SEEN_ELSEWHERE[state] : undefined;
  return elsewhere ?? { meaning: plain(meaning), proof: plain(proof) };
}

/** Said where only a node vouches for the app: nobody has sent the app a request, so that nothing is said of answers. */
const BY_NODE = 'What was requested runs, and has been stable.';

const seenTo = ({ actions }: Claim) => (isManagedElsewhere(actions) ? 'ready' : 'to answer');

/** The route of what another tool deploys is not asked by Evident: the sentence says only that its copies are ready. */
const servingSentence = (claim: Claim, revision: number): string =>
  isUpForNow(claim) ? `Revision ${revision} is up, between two exits` : wordsOfServing(claim, revision);

const wordsOfServing = ({ actions, message }: Claim, revision: number): string =>
  !isManagedElsewhere(actions)
    ? `Revision ${revision} answers`
    : message.code === 'running.by_node'
      ? `Revision ${revision} is what runs; nobody has asked whether it answers`
      : `Revision ${revision} is what runs, and is ready`;

function nothingSentence({ nothingServes, now, message }: Claim): string {
  if (isOfRuns(message.code)) return 'It runs on its schedule, and serves nobody.';
  if (nothingServes === undefined) return 'Which revision answers is not known, or none does.';
  if (nothingServes.validUntil === null) return 'No revision answers: nothing was ever applied.';
  return `No revision answers (seen ${ago(Date.parse(now) - Date.parse(nothingServes.asOf))}).`;
}

const BY_ITS_NODE = 'its node says so and is alive';

function instanceSentence(instance: InstanceView, { now }: Claim): string {
  const { name, revision, phase, ready, reason, message, asOf } = instance;
  // The witness is named after it.
  const about = message == null || message === BY_ITS_NODE ? '' : ` (${message})`;
  const words = [
    revision == null ? name : `${name} of r${revision}`,
    ...(isLastKnown(instance, Date.parse(now)) ? ['last known'] : []),
    phase === 'running' ? (ready ? 'ready' : 'running, not ready') : phase,
    ...(reason == null ? [] : [`${reason.replaceAll('_', ' ')}${about}`]),
    ...[exitsOfInstances([instance]) ?? []].flat(),
    ...(witness(instance) === null ? [] : [`on the word of the ${witness(instance)}`]),
    `seen ${ago(Date.parse(now) - Date.parse(asOf))}`,
  ];
  return `${words.join(', ')}.`;
}

function proven(claim: Claim, evidence: readonly EvidenceView[] | null): string[] {
  const { service, proof, state } = claim;
  const reached = proof.reached.map(wordOf).join(', ');
  const byId = new Map(evidence?.map((row) => [row.id, row]));
  return [
    reached === '' ? 'No state on its way is proven.' : `Proven on its way: ${reached}.`,
    ...(proof.stoppedAt === null || proof.stoppedAt === state
      ? []
      : [`Proof stopped at ${wordOf(proof.stoppedAt)}.`]),
    `This state needs: ${tableWords(claim).proof}`,
    proof.evidence.length === 0
      ? 'It cites no evidence.'
      : `It stands on ${proof.evidence.length} ${proof.evidence.length === 1 ? 'piece' : 'pieces'} of evidence${byId.size > 1 ? ', the newest first' : ''}:`,
    ...newestFirst(proof.evidence, byId)
      .slice(0, EVIDENCE_NAMED)
      .map((id) => {
        const row = byId.get(id);
        if (row === undefined) return `  ${id}`;
        const { kind, source, receivedAt } = row;
        return `  ${kind} by ${source.role} ${source.name}, received ${printedInstant(receivedAt)} (${id})`;
      }),
    ...(proof.evidence.length > EVIDENCE_NAMED
      ? [`  and ${proof.evidence.length - EVIDENCE_NAMED} more: evident evidence ${service}`]
      : []),
  ];
}

/** A claim about what exits all the time rests on every exit. */
const EVIDENCE_NAMED = 12;

/** By the order of the ledger; evidence that was not read is older than all that was. */
function newestFirst(ids: readonly string[], byId: ReadonlyMap<string, EvidenceView>): readonly string[] {
  const position = (id: string) => byId.get(id)?.position ?? ZERO;
  return ids.toSorted((a, b) => compareDigits(position(b), position(a)));
}

function aged({ freshness, now, state }: Claim): string[] {
  const { asOf, freshForMs, validUntil } = freshness;
  const at = Date.parse(now);
  return [
    asOf === null
      ? plain(STATE_TABLE[state].freshness)
      : `The newest of it is ${span(at - Date.parse(asOf))} old (as of ${printedInstant(asOf)}).`,
    ...(freshForMs === null ? [] : [`It may be said for ${span(freshForMs)} without being seen again.`]),
    ...(validUntil === null
      ? []
      : [`Time alone changes it at ${printedInstant(validUntil)}, in ${span(Date.parse(validUntil) - at)}.`]),
  ];
}

function changing({ state, expecting, timeout, now }: Claim): string[] {
  const { deadline } = STATE_TABLE[state];
  const by = expecting?.by ?? null;
  const until =
    by === null ? '' : `, by ${printedInstant(by)} (in ${span(Date.parse(by) - Date.parse(now))})`;
  return [
    expecting === null
      ? 'No further evidence is waited for.'
      : `Waited for: ${expecting.evidence} from the ${expecting.from}${until}.`,
    plain(deadline.rule),
    ...(timeout === null
      ? []
      : [
          `It ran out of time at the stage ${timeout.stage}, waiting for ${timeout.expected}; ${timeout.retrySafe ? 'trying again is safe' : 'trying again is not safe'}.`,
        ]),
  ];
}

function moving(claim: Claim): string[] {
  const commands = nextCommandLines(claim).filter((line) => line !== `evident explain ${claim.service}`);
  return [whoseMove(claim), ...commands.map((command, i) => `${i === 0 ? 'Next' : 'Then'}: ${command}`)];
}

function operating({
  stage,
  fence,
  holder,
  rejected,
  lastEvidence,
  correlation,
  text,
}: NonNullable<Claim['operator']>) {
  return [
    text,
    `Stage ${stage ?? 'none'}, fence ${fence ?? 'none'}, held by ${holder ?? 'nobody'}; ${rejected} rejected.`,
    ...(lastEvidence === null
      ? []
      : [
          `Newest evidence: ${lastEvidence.kind} at ${printedInstant(lastEvidence.at)} (${lastEvidence.id}).`,
        ]),
    ...(correlation === '' ? [] : [`Requested by the request ${correlation}.`]),
  ];
}

const plain = (markdown: string) => markdown.replaceAll('`', '');
