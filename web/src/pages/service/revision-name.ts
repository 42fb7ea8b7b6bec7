import type { RevisionView } from '../../../../src/contract/answers/views.ts';

const KINDS: Readonly<Record<RevisionView['kind'], string>> = {
  deploy: 'Deploy',
  rollback: 'Rollback',
  restart: 'Restart',
  scale: 'Scale',
  config: 'Configuration',
  teardown: 'Tear-down',
  observed: 'Found at its target',
};

/** The first line of its commit; what changed no code, or has no commit, is named by what made it. */
export const whatOf = (about: Pick<RevisionView, 'kind' | 'git'> | undefined): string => {
  if (about === undefined) return '';
  const isOfCode = about.kind === 'deploy' || about.kind === 'observed';
  return (isOfCode ? about.git?.message?.split('\n')[0] : undefined) ?? KINDS[about.kind];
};
