import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that start servers, databases and browsers. A long one that starts last leaves the other workers idle. */
const STARTS_PROCESSES = ['test/up/', 'test/crash/', 'test/server/', 'test/web/', 'test/', 'src/store/'];

/**
 * Orders test files by how long their folder takes. Vitest's own order rests on times of earlier runs, which a fresh
 * clone does not have.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = STARTS_PROCESSES.findIndex((folder) => moduleId.includes(`/${folder}`));
      return rank === -1 ? STARTS_PROCESSES.length : rank;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
