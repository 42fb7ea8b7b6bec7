import { readFileSync } from 'node:fs';
import { bootId } from '../process/proc.ts';
import type { TlsOptions } from '../router/router.ts';
import type { ServiceRoute } from '../supervise/router-port.ts';
import { writeDurably } from '../supervise/state-file.ts';

/** Everything that a router was told, so that one that is started again routes as before. */
export interface RouterTable {
  readonly version: 1;
  readonly boot: string;
  readonly listens: {
    readonly host: string;
    readonly port: number;
    readonly tls?: TlsOptions | null;
  } | null;
  readonly routes: readonly ServiceRoute[];
  /** The ports that services have of their own. */
  readonly ports: readonly { readonly service: string; readonly port: number }[];
}

const EMPTY: Omit<RouterTable, 'boot'> = { version: 1, listens: null, routes: [], ports: [] };

/** The last table; an empty one if there is none that can be read, which whoever supervises replaces. */
export function readTable(path: string): RouterTable {
  const boot = bootId();
  try {
    const table = JSON.parse(readFileSync(path, 'utf8')) as RouterTable;
    return table.version === 1 ? ofThisBoot(table, boot) : { ...EMPTY, boot };
  } catch {
    return { ...EMPTY, boot };
  }
}

/** No instance outlives a boot: its port may be anybody's. */
function ofThisBoot(table: RouterTable, boot: string): RouterTable {
  if (table.boot === boot) return table;
  return { ...table, boot, routes: table.routes.map((route) => ({ ...route, endpoints: [] })) };
}

/** The file of the last table. Under its own name it is always whole; a save that a newer one overtakes is left out. */
export class TableFile {
  readonly #path: string;
  readonly #table: () => RouterTable;
  readonly #failed: (error: Error) => void;
  #saving: Promise<void> | null = null;
  #isStale = false;

  constructor(path: string, table: () => RouterTable, failed: (error: Error) => void) {
    this.#path = path;
    this.#table = table;
    this.#failed = failed;
  }

  saveSoon(): void {
    this.#isStale = true;
    this.#saving ??= this.#save().finally(() => {
      this.#saving = null;
    });
  }

  /** Resolves when everything up to now is in the file. */
  async saved(): Promise<void> {
    while (this.#saving !== null) await this.#saving;
  }

  async #save(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await writeDurably(this.#path, JSON.stringify(this.#table())).catch(this.#failed);
    }
  }
}
