/** Names the broken rows that a list leaves out: a list without them is not the whole list (F56). */
export const unreadableSentence = (names: readonly string[]) =>
  `${names.length} more ${names.length === 1 ? 'is' : 'are'} on record and cannot be read: ${names.join(', ')}. To see what is wrong: evident rebuild --check`;
