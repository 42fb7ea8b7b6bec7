import type { ReactNode } from 'react';

/** One component with its states. To add one: add a line, and take its picture (CONTRIBUTING.md). */
export interface Specimen {
  /** Names its picture, in kebab-case. */
  readonly name: string;
  readonly content: ReactNode;
  /** It takes the whole width of the page. */
  readonly isWide?: boolean;
  /** It is shown in a frame of its own, since it changes the page around it, or only a narrow page has its looks. */
  readonly frame?: { readonly width: number; readonly height: number };
}
