import { unreadableSentence } from '../../../src/contract/presentation/unreadable.ts';

/** What belongs into a list of this page and cannot be read any more: nobody is to take the list for the whole. */
export function Unreadable({ names }: { readonly names: readonly string[] }) {
  return names.length === 0 ? null : <p className="banner tone-unknown part">{unreadableSentence(names)}</p>;
}
