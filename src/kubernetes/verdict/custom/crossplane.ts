import { conditionFacts, conditionsOf } from '../conditions.ts';
import { isThere, type ObjectFields } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';

/** Resources of providers are in groups without number, so that the common conditions know Synced beside Ready. */
function judgePackage(object: ObjectFields): Ruling | null {
  return conditionsOf(object).has('Installed')
    ? null
    : ruling('progressing', 'not_observed', 'the condition Installed is missing');
}

function judgeDefinitionOfComposites(object: ObjectFields): Ruling {
  const conditions = conditionsOf(object);
  const needed = ['Established', ...(isThere(object, 'spec.claimNames') ? ['Offered'] : [])];
  return climb(
    needed.map((type) => () => {
      const condition = conditions.get(type);
      if (condition?.status === 'True') return null;
      const facts = condition === undefined ? `the condition ${type} is missing` : conditionFacts(condition);
      return ruling('progressing', 'not_established', facts);
    }),
    ready(`${needed.join(' and ')}`),
  );
}

export const CROSSPLANE: readonly CustomFamily[] = [
  { group: 'pkg.crossplane.io', kinds: ['Provider', 'Configuration', 'Function'], judge: judgePackage },
  {
    group: 'apiextensions.crossplane.io',
    kinds: ['CompositeResourceDefinition'],
    judge: judgeDefinitionOfComposites,
  },
];
