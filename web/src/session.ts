import { useQuery } from '@tanstack/react-query';
import { HUMAN_ROLES, type HumanRole } from '../../src/contract/vocabulary.ts';
import { ApiProblem, get, post } from './api.ts';

export interface Session {
  readonly role: HumanRole;
  readonly org: string;
  readonly name: string;
}

const rankOf = (role: HumanRole) => HUMAN_ROLES.indexOf(role);
export const isAtLeast = (session: Session, role: HumanRole) => rankOf(session.role) >= rankOf(role);

/** The signed-in session, or null. A one-time link in the address is redeemed first and removed from it. */
export const useSession = () =>
  useQuery({
    queryKey: ['session'],
    queryFn: signedIn,
    staleTime: Number.POSITIVE_INFINITY,
    retry: isPassing,
  });

async function signedIn(): Promise<Session | null> {
  const link = new URLSearchParams(location.hash.slice(1)).get('link');
  if (link !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    try {
      return await post<Session>('/v1/sessions', { link });
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      // The link is used up or too old: an existing session stays.
    }
  }
  try {
    return await get<Session>('/v1/sessions');
  } catch (error) {
    if (error instanceof ApiProblem && error.problem.code === 'unauthenticated') return null;
    throw error;
  }
}

const isPassing = (count: number, error: Error) => count < 5 && !(error instanceof ApiProblem);
