import { SERVICE_ACTIONS, type ServiceAction } from '../../../../../src/contract/actions.ts';

/** An action that an address asks for: what it is, and of a rollback the revision that it goes back to. */
interface AskedAction {
  readonly action: ServiceAction;
  readonly goal: number | null;
}

/** The address at which the page of a service asks before an action. */
export const actionAddress = (service: string, action: ServiceAction, goal: number | null = null): string =>
  `/services/${service}?do=${action}${goal === null ? '' : `:${goal}`}`;

/** Reads `?do=` of such an address; null: no action is called so. */
export function askedAction(text: string): AskedAction | null {
  const [name = '', goal] = text.split(':');
  const action = SERVICE_ACTIONS.find((one) => one === name);
  if (action === undefined) return null;
  if (goal === undefined) return { action, goal: null };
  return action === 'rollback' && /^[1-9]\d{0,9}$/.test(goal) ? { action, goal: Number(goal) } : null;
}
