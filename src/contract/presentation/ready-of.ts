/** Counts ready instances. More may be ready than wanted, while the last of a larger size stop. */
export const readyOf = (ready: number, wanted: number) =>
  ready > wanted ? `${wanted} wanted, ${ready} ready` : `${ready} of ${wanted} ready`;
