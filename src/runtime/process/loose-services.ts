import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { bootId } from './proc.ts';

interface StoredLoose {
  readonly boot: string;
  readonly services: readonly string[];
}

/**
 * The services that had an instance which nothing held together, since the machine was started: what such an instance
 * left behind is found by nobody, however well the next one is held (F117).
 */
export class LooseServices {
  readonly #path: string;
  readonly #services: Set<string>;

  private constructor(path: string, services: readonly string[]) {
    this.#path = path;
    this.#services = new Set(services);
  }

  static open(path: string): LooseServices {
    try {
      const { boot, services } = JSON.parse(readFileSync(path, 'utf8')) as StoredLoose;
      return new LooseServices(path, boot === bootId() ? services : []);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return new LooseServices(path, []);
    }
  }

  has(service: string): boolean {
    return this.#services.has(service);
  }

  add(service: string): void {
    if (this.#services.has(service)) return;
    this.#services.add(service);
    const stored: StoredLoose = { boot: bootId(), services: [...this.#services] };
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    writeFileSync(`${this.#path}.tmp`, JSON.stringify(stored), { mode: 0o600 });
    renameSync(`${this.#path}.tmp`, this.#path);
  }
}
