import { randomUUID } from 'node:crypto';
import { request } from 'node:http';

interface Question {
  readonly port: number;
  readonly host: string;
  readonly service: string;
  readonly patienceMs: number;
}

/** The revision that answers with our nonce and its service's name; null: nobody does. */
export function ask({ port, host, service, patienceMs }: Question): Promise<number | null> {
  const nonce = randomUUID();
  return new Promise((done) => {
    const asked = request({
      ...{ host: '127.0.0.1', port, path: `/?nonce=${nonce}`, agent: false, headers: { host } },
    });
    const timer = setTimeout(() => end(null), patienceMs);
    const end = (revision: number | null) => {
      clearTimeout(timer);
      asked.destroy();
      done(revision);
    };
    asked.on('error', () => end(null));
    asked.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => {
        text = (text + more).slice(0, 1_000);
      });
      response.on('error', () => end(null));
      response.on('end', () => {
        const [said, name, revision] = text.split(' ');
        end(said === nonce && name === service ? Number(revision) : null);
      });
    });
    asked.end();
  });
}
