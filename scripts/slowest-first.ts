import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Beginnings of paths, by how long they last. A long one that starts last leaves the other workers idle; clusters
 * start apart from each other, since each takes half of a core; the one that is restored first of all, alone.
 */
const LONGEST = [
  'test/kubernetes/fault-restore',
  'test/up/up.',
  'test/server/unreadable',
  'test/crash/postgres',
  'test/kubernetes/fault-control-plane',
  'test/kubernetes/fault-rollouts',
  'test/runtime/ordinary-user',
  'test/server/streams',
  'test/kubernetes/cluster-faults',
  'test/web/live',
  'test/kubernetes/fault-nodes',
  'test/agent/processes',
  'test/cli/waiting',
  'test/kubernetes/agent-inside',
  'test/up/',
  'test/crash/',
  'test/kubernetes/node-truth',
  'test/server/',
  'test/kubernetes/',
  'test/web/',
  'test/',
  'src/store/',
];

/**
 * Orders test files by how long they take. Vitest's own order rests on times of earlier runs, which a fresh
 * clone does not have.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((path) => moduleId.includes(`/${path}`));
      return rank === -1 ? LONGEST.length : rank;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
