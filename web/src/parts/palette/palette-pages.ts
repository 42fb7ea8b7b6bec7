import { hasRoleAtLeast, type Session } from '../../session.ts';
import type { PalettePage } from './palette-items.ts';

/** The pages that a role may open. `silent` targets and `needing` services are counted on the line that leads to them. */
export function pagesFor(session: Session, silent: number, needing: number): readonly PalettePage[] {
  const whom = hasRoleAtLeast(session, 'deployer') ? 'you' : 'a deployer';
  return [
    { title: 'Services', address: '/', keys: 'g s' },
    ...(needing === 0
      ? []
      : [{ title: `Services that need ${whom}`, address: '/?show=needs+you', note: `${needing}` }]),
    ...(hasRoleAtLeast(session, 'operator')
      ? [
          {
            title: 'Targets',
            address: '/targets',
            keys: 'g t',
            ...(silent === 0 ? {} : { note: `${silent} silent` }),
          },
        ]
      : []),
    { title: 'Model', address: '/model', keys: 'g m' },
    { title: 'Settings', address: '/settings', keys: 'g e' },
    { title: 'Command line', address: '/settings/command-line' },
    ...(hasRoleAtLeast(session, 'admin')
      ? [
          { title: 'Tokens and targets', address: '/settings/tokens' },
          { title: 'People', address: '/settings/people' },
          { title: 'Observation rules', address: '/settings/observation' },
        ]
      : []),
  ];
}
