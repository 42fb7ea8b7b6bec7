import { REASONS_BY_SUBJECT } from '../../kubernetes/verdict/reasons/index.ts';
import type { CatalogueRow } from '../../kubernetes/verdict/reasons/row.ts';
import { markdownTable } from '../markdown-table.ts';

/** Generates docs/kubernetes-reasons.md from the catalogue. */
export function reasonsPage(): string {
  const subjects = Object.entries<Readonly<Record<string, CatalogueRow>>>(REASONS_BY_SUBJECT);
  return [
    '# Reasons of a verdict',
    '<!-- Generated from src/kubernetes/verdict/reasons by `npm run docs`. Do not edit. -->',
    '`evident inspect` names one of these wherever an object of Kubernetes is not ready. A word of the cluster that leads to none of them is shown as `unrecognised:WORD`, and is never guessed to be good. *Stage* is the part of the way to `running` that it holds up; *whose move* says who takes the next step: you, the platform, or nobody because it goes on by itself.',
    ...subjects.flatMap(([subject, rows]) => [`## ${subject}`, subjectTable(rows)]),
    '',
  ].join('\n\n');
}

function subjectTable(rows: Readonly<Record<string, CatalogueRow>>): string {
  return markdownTable(
    ['reason', 'stage', 'whose move', 'retry safe', 'users read', 'operators read'],
    Object.entries(rows).map(([name, { stage, owner, retrySafe, user, operator }]) => [
      `\`${name}\``,
      stage === null ? '' : `\`${stage}\``,
      owner,
      retrySafe ? 'yes' : 'no',
      user,
      operator,
    ]),
  );
}
