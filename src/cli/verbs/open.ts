import { spawn } from 'node:child_process';
import type { People } from '../../client/people.ts';
import { type ContextOptions, inContext } from '../context.ts';
import { UsageError } from '../print-problem.ts';
import { EXIT } from '../proof/exit-code.ts';

interface OpenOptions extends ContextOptions {
  readonly browser: boolean;
}

/** `evident open`: prints the address, or a link that signs in to the page, and opens it where there is a desktop. */
export function runOpen(ref: string | undefined, options: OpenOptions): Promise<void> {
  return inContext(options, ref ?? null, async (context) => {
    const urls =
      ref === undefined ? [await signInAddress(context.people)] : (await context.people.service(ref)).urls;
    const [url] = urls;
    if (url === undefined)
      throw new UsageError(
        `${ref} has no address: nothing that answers for it has been seen. See: evident explain ${ref}`,
      );
    await context.print({ url, urls }, (wide) => (wide ? urls.join('\n') : url));
    if (ref === undefined) context.note('(It signs one browser in, once, within 15 minutes.)');
    const opener = options.browser ? openerOf(process.platform, process.env) : null;
    if (opener !== null && /^https?:/.test(url)) {
      const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
      child.on('error', () => {});
      child.unref();
    }
    return EXIT.cameTrue;
  });
}

const signInAddress = async (people: People) =>
  `${people.client.server}/#link=${(await people.signInLink()).link}`;

/** The program that opens an address on this desktop; null where there is none. */
function openerOf(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  if (platform === 'darwin') return 'open';
  if (platform === 'win32') return 'explorer';
  return env.DISPLAY || env.WAYLAND_DISPLAY ? 'xdg-open' : null;
}
