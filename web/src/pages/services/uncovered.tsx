import '../../styles/uncovered.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { ServiceItem } from '../../../../src/contract/answers/views.ts';
import { uncoveredIn, uncoveredSentence } from '../../../../src/contract/presentation/uncovered.ts';
import { getAll } from '../../api.ts';

/** Services that are off the list because the rule of their target no longer covers them: nobody removed them. */
export function Uncovered() {
  const left = useQuery({
    queryKey: ['services', 'uncovered'],
    queryFn: ({ signal }) => getAll<ServiceItem>('/v1/services?state=unknown&hidden=true', signal),
    staleTime: 30_000,
  });
  const items = left.data?.items ?? [];
  const sentence = uncoveredSentence(items);
  if (sentence === null) return null;
  return (
    <details className="uncovered">
      <summary>{sentence}</summary>
      <ul>
        {uncoveredIn(items).map(({ ref }) => (
          <li key={ref}>
            <Link href={`/services/${ref}`}>{ref}</Link>
          </li>
        ))}
      </ul>
    </details>
  );
}
