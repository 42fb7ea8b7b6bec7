import type { EvidenceView } from '../../../../../src/contract/answers/views.ts';

/** The reason of a refusal in words. */
export const reasonWord = (reason: EvidenceView['reason']): string =>
  reason?.replaceAll('_', ' ') ?? 'no reason given';
