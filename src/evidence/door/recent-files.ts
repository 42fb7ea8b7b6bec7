import type { Digits } from '../../contract/digits.ts';
import type { ServiceFile } from './service-file.ts';

/** More are not kept for a reader that is behind: it reads the store. */
const KEPT = 10_000;

/** A service as a commit of this process left it. */
interface LeftFile {
  readonly file: ServiceFile;
  /** The instant of the commit. */
  readonly at: number;
}

/**
 * The services whose claims were changed by commits of this process, until the feed of their org has sent that:
 * thousands that fall silent at once are not read again (S2). A cache: what is not here is read.
 */
export class RecentFiles {
  readonly #orgs = new Map<string, Map<string, LeftFile>>();

  /** Keeps the services of an org from now on, until the returned function is called. */
  want(org: string): () => void {
    const files = new Map<string, LeftFile>();
    this.#orgs.set(org, files);
    return () => {
      if (this.#orgs.get(org) === files) this.#orgs.delete(org);
    };
  }

  keep(org: string, files: readonly ServiceFile[], at: number): void {
    const kept = this.#orgs.get(org);
    if (kept === undefined) return;
    for (const file of files) {
      kept.delete(file.service);
      kept.set(file.service, { file, at });
    }
    for (const service of kept.keys()) {
      if (kept.size <= KEPT) return;
      kept.delete(service);
    }
  }

  /** The service as the transition at this position left it, once; undefined if that is not kept. */
  take(org: string, service: string, position: Digits): LeftFile | undefined {
    const left = this.#orgs.get(org)?.get(service);
    if (left?.file.recorded?.position !== position) return undefined;
    this.#orgs.get(org)?.delete(service);
    return left;
  }
}
