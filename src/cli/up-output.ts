import { join } from 'node:path';
import pc from 'picocolors';

interface Addresses {
  readonly api: string;
  readonly ui: string;
  /** Address by host name: http://SERVICE.localhost:PORT/ */
  readonly router: string;
}

/** Said at start where nothing stands between apps and Evident (F127). */
export const NOT_ISOLATED =
  'Apps and builds run as this user: they can read Evident’s files and each other’s, the admin token too. Deploy only what you trust.';

/** The output of `evident up`: text for a person, a line of JSON for a program. */
export class UpOutput {
  readonly #json: boolean;
  readonly #data: string;

  constructor(output: 'text' | 'json', data: string) {
    this.#json = output === 'json';
    this.#data = data;
  }

  ready({ api, ui, router }: Addresses, app: readonly string[], isolated: boolean): void {
    if (this.#json) {
      console.log(JSON.stringify({ event: 'ready', api, ui, router, isolated }));
      return;
    }
    const rows = [
      ...app.slice(0, 1).map((url) => ['app', url, '']),
      ['UI', ui, 'signs you in, once'],
      ['API', api, `token in ${join(this.#data, 'admin-token')}`],
    ];
    const width = Math.max(...rows.map(([, address = '']) => address.length));
    console.log(`\n${pc.bold('Evident is ready.')}`);
    for (const [name = '', address = '', note = ''] of rows)
      console.log(`  ${name.padEnd(4)} ${address.padEnd(width)}  ${pc.dim(note)}`.trimEnd());
    if (!isolated) console.log(pc.yellow(`\n${NOT_ISOLATED}`));
    console.log(
      pc.dim(
        `\nTo use it from any folder: evident login --data ${this.#data}\nCtrl-C stops Evident; apps go on running and answer at their addresses. evident down --data ${this.#data} stops both.`,
      ),
    );
  }

  stopping(): void {
    if (!this.#json) console.log('\nStopping: builds are given back, apps go on running.');
  }

  stopped(running: number): void {
    if (this.#json) {
      console.log(JSON.stringify({ event: 'stopped', running }));
      return;
    }
    const [left, it] =
      running === 1 ? ['1 instance goes on running', 'it'] : [`${running} instances go on running`, 'them'];
    console.log(
      running === 0
        ? 'Evident has stopped. Nothing of it is running.'
        : `Evident has stopped. ${left} behind the router: the next start takes ${it} up, evident down --data ${this.#data} ends ${it}.`,
    );
  }
}
