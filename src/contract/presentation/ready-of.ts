/** How many are ready. More than are wanted, while the last of another size still stop, are not so many of them. */
export const readyOf = (ready: number, wanted: number) =>
  ready > wanted ? `${wanted} wanted, ${ready} ready` : `${ready} of ${wanted} ready`;
