/** The words that were typed, by which everything is found. */
export const wordsOf = (typed: string): readonly string[] => typed.toLowerCase().split(/\s+/).filter(Boolean);

/** Every word is the begin of a word of the text. */
export const beginWordsOf = (words: readonly string[], text: string): boolean => {
  const of = wordsOf(text);
  return words.every((word) => of.some((one) => one.startsWith(word)));
};

/** What was typed, as words about a service and words about what to do with it: "roll shop". */
export interface TypedWords {
  readonly ofService: readonly string[];
  readonly ofAction: readonly string[];
}

/** Words that would be tried in every split; nobody types as many. */
const MOST_WORDS = 6;

/**
 * The split with the most words about a service that some service has, where the others begin words of what can be done;
 * null where there is none. All words are about a service if one has them all: a name may sound like an action.
 */
export function splitWords(
  words: readonly string[],
  hasService: (words: readonly string[]) => boolean,
  canBeDone: readonly string[],
): TypedWords | null {
  if (words.length > MOST_WORDS) return null;
  const splits = Array.from({ length: 2 ** words.length }, (_, bits) => ({
    ofService: words.filter((_word, i) => (bits & (1 << i)) === 0),
    ofAction: words.filter((_word, i) => (bits & (1 << i)) !== 0),
  })).sort((a, b) => b.ofService.length - a.ofService.length);
  return (
    splits.find(
      ({ ofService, ofAction }) =>
        ofService.length > 0 &&
        hasService(ofService) &&
        (ofAction.length === 0 || canBeDone.some((text) => beginWordsOf(ofAction, text))),
    ) ?? null
  );
}
