import { useQuery } from '@tanstack/react-query';
import { HUMAN_ROLES, type HumanRole } from '../../src/contract/vocabulary.ts';
import { ApiProblem, get, post } from './api.ts';

export interface Session {
  readonly role: HumanRole;
  readonly org: string;
  readonly name: string;
  /** The id of the browser's session, which is no secret. */
  readonly session: string | null;
}

/**
 * The session that this origin has opened. A cookie belongs to a host name, whatever the port: an app on the same host
 * could replace it by a session of its own, and actions here would be done in another's name (F127). Storage belongs to
 * the origin, port included.
 */
const OWN = 'evident.session';

/** Keeps a session that was opened here as this origin's own. */
export function keepOwn(session: Session): Session {
  if (session.session === null) localStorage.removeItem(OWN);
  else localStorage.setItem(OWN, session.session);
  return session;
}

/** The session if this origin opened it, or has none yet; else null: whose it is cannot be told. */
function ownOnly(session: Session): Session | null {
  const own = localStorage.getItem(OWN);
  return own === null || own === session.session ? keepOwn(session) : null;
}

const rankOf = (role: HumanRole) => HUMAN_ROLES.indexOf(role);
export const hasRoleAtLeast = (session: Session, role: HumanRole) => rankOf(session.role) >= rankOf(role);

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
      return keepOwn(await post<Session>('/v1/sessions', { link }));
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      // The link is used up or too old: an existing session stays.
    }
  }
  try {
    return ownOnly(await get<Session>('/v1/sessions'));
  } catch (error) {
    if (error instanceof ApiProblem && error.problem.code === 'unauthenticated') return null;
    throw error;
  }
}

const isPassing = (count: number, error: Error) => count < 5 && !(error instanceof ApiProblem);
