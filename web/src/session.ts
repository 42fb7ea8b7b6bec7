import { useQuery } from '@tanstack/react-query';
import { get, ProblemAnswer, post } from './api.ts';

export type Role = 'viewer' | 'deployer' | 'operator' | 'admin';
export interface Session {
  readonly role: Role;
  readonly org: string;
  readonly name: string;
}

const RANK: Readonly<Record<Role, number>> = { viewer: 0, deployer: 1, operator: 2, admin: 3 };
export const isAtLeast = (session: Session, role: Role) => RANK[session.role] >= RANK[role];

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
      if (!(error instanceof ProblemAnswer)) throw error;
      // The link is used up or too old: an existing session stays.
    }
  }
  try {
    return await get<Session>('/v1/sessions');
  } catch (error) {
    if (error instanceof ProblemAnswer && error.problem.code === 'unauthenticated') return null;
    throw error;
  }
}

const isPassing = (count: number, error: Error) => count < 5 && !(error instanceof ProblemAnswer);
