/** A rollback as the page knows it before it is requested. */
interface RollbackOutlook {
  /** The revision that is given up. */
  readonly from: number;
  readonly goal: number;
  /** The number of copies that stays wanted: a rollback does not restore that of its goal. */
  readonly copies: number;
  readonly goalCopies: number;
  /** The revision that is proven to serve, and how many copies of it are ready, where that is known. */
  readonly serving: number | null;
  readonly servingCopies: number | null;
}

/** The copies after a rollback where they are others than now, or than the goal had; null: they stay as they are. Pure. */
export function copiesAfter({
  goal,
  copies,
  goalCopies,
  serving,
  servingCopies,
}: RollbackOutlook): string | null {
  const after = copies === 1 ? '1 copy serves' : `${copies} copies serve`;
  if (serving !== null && servingCopies !== null)
    return servingCopies === copies
      ? null
      : `${after}, not the ${servingCopies} that ${servingCopies === 1 ? 'serves' : 'serve'} now`;
  return goalCopies === copies ? null : `${after}, not ${goalCopies} as r${goal} had`;
}

/** The line below the button that goes back. Pure. */
export function rollbackNote(outlook: RollbackOutlook): string {
  const { from, goal, serving } = outlook;
  const after = copiesAfter(outlook);
  const copies = after === null ? '' : ` ${after}.`;
  if (goal !== serving)
    return `Restores the artifact and the configuration of r${goal}. Nothing is built.${copies}`;
  return `Gives up r${from}: a new revision with the code and configuration of r${goal} takes its place.${copies} r${goal} serves until then.`;
}
