/** A longer chain of links is a circle, or is built to hide one. */
const MAX_STEPS = 40;

/**
 * Follows the symbolic links of an archive, all of them together: a link that stays inside by its own text
 * may leave through another (F94). Judged after the last entry, because a later link can change where an
 * earlier one leads.
 */
export class LinkMap {
  /** Maps names to one spelling where some file systems treat them as the same (F97). */
  readonly #folded: (name: string) => string;
  readonly #links = new Map<string, { readonly path: readonly string[]; readonly to: string }>();

  constructor(folded: (name: string) => string) {
    this.#folded = folded;
  }

  add(path: readonly string[], to: string): void {
    this.#links.set(this.#key(path), { path, to });
  }

  /** The first link that leads out of the root, or null. */
  leaving(): string | null {
    for (const { path, to } of this.#links.values())
      if (!this.#stays(path.slice(0, -1), to)) return path.join('/');
    return null;
  }

  /** Walks as the kernel would, link by link. A missing path leads nowhere, and so not out. */
  #stays(from: readonly string[], to: string): boolean {
    const at = [...from];
    const ahead = to.split('/').reverse();
    for (let steps = 0; ahead.length > 0; ) {
      const name = ahead.pop() ?? '';
      if (name === '' || name === '.') continue;
      if (name === '..') {
        if (at.pop() === undefined) return false;
        continue;
      }
      at.push(name);
      const next = this.#links.get(this.#key(at));
      if (next === undefined) continue;
      // A circle leads nowhere, and so not out.
      if (++steps > MAX_STEPS) return true;
      at.pop();
      ahead.push(...next.to.split('/').reverse());
    }
    return true;
  }

  #key = (path: readonly string[]) => path.map(this.#folded).join('/');
}
