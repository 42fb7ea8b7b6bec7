import { unreadableSentence } from '../../../src/contract/presentation/unreadable.ts';

/** Names items of a list that can no longer be read, so that nobody takes the list for complete. */
export function BrokenItems({ names }: { readonly names: readonly string[] }) {
  return names.length === 0 ? null : <p className="banner tone-unknown part">{unreadableSentence(names)}</p>;
}
