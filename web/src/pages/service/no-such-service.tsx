import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { ServiceItem } from '../../../../src/contract/answers/views.ts';
import { DEFAULT_TARGET, nameOf, serviceRef } from '../../../../src/contract/names.ts';
import { similarName } from '../../../../src/contract/presentation/similar-name.ts';
import { getAll } from '../../api.ts';
import { tabAddress } from './tabs.ts';

/** The page of a service that does not exist, with the one that was probably meant, or those of the same name elsewhere. */
export function NoSuchService({ service }: { readonly service: string }) {
  const { data: refs = [] } = useQuery({
    queryKey: ['names of services'],
    queryFn: async ({ signal }) =>
      (await getAll<ServiceItem>('/v1/services', signal)).items.map(({ ref }) => ref),
  });
  const wanted = serviceRef(service) ?? service;
  const elsewhere = refs.filter((ref) => nameOf(ref) === nameOf(wanted)).slice(0, MOST);
  const similar = similarName(wanted, refs);
  const meant = elsewhere.length > 0 || similar === null ? elsewhere : [similar];
  return (
    <div className="card no-such" role="status">
      <h1>No service “{wanted.replace(`@${DEFAULT_TARGET}`, '')}”</h1>
      <p>
        {meant.length > 0 && (
          <>
            Did you mean{' '}
            {meant.map((ref, i) => (
              <span key={ref}>
                {i > 0 && ' or '}
                <Link href={tabAddress(ref, 'overview')}>{ref}</Link>
              </span>
            ))}
            ?{' '}
          </>
        )}
        <Link href="/">All services</Link>
      </p>
      <p className="soft">It was never deployed, or your token may not see it.</p>
    </div>
  );
}

/** Services of the same name on more targets than this are not all listed. */
const MOST = 3;
