import { spawn } from 'node:child_process';
import { isFields, type ObjectFields, own } from '../verdict/fields.ts';

/** The headers and certificates that a plugin gives. */
export interface PluginAnswer {
  cert?: string | Buffer;
  key?: string | Buffer;
  headers?: Record<string, unknown>;
}

/** Caps the words of a failed plugin that a person reads: its last ones. */
const SAID = 1_000;
/** Caps its answer: a credential is a few kilobytes. */
const ANSWER_BYTES = 1 << 20;

/**
 * Signs in by the program that a kubeconfig names (`exec`), and keeps its answer until that expires. Ends the program
 * when the signal aborts. Rejected: ExecAuth of client-node, which lets a plugin that hangs run on, so that nothing
 * that asked it ever ends, and which says nothing of one that fails in silence.
 */
export class ExecPlugin {
  readonly #exec: ObjectFields;
  #kept: { readonly answer: PluginAnswer; readonly until: number } | null = null;

  constructor(exec: unknown) {
    this.#exec = isFields(exec) ? exec : {};
  }

  async signIn(signal: AbortSignal): Promise<PluginAnswer> {
    if (this.#kept !== null && Date.now() < this.#kept.until) return this.#kept.answer;
    const command = textOf(this.#exec, 'command');
    if (command === '') throw new Error('the kubeconfig names no command to sign in with.');
    const status = statusIn(await run(command, this.#exec, signal), command);
    const token = textOf(status, 'token');
    const [cert, key] = [textOf(status, 'clientCertificateData'), textOf(status, 'clientKeyData')];
    const answer: PluginAnswer = {
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      ...(cert === '' ? {} : { cert }),
      ...(key === '' ? {} : { key }),
    };
    // Without an end it holds until the cluster refuses it, as for kubectl.
    const expires = Date.parse(textOf(status, 'expirationTimestamp'));
    this.#kept = { answer, until: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires };
    return answer;
  }
}

function run(command: string, exec: ObjectFields, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn(command, texts(own(exec, 'args')), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...namedValues(own(exec, 'env')), KUBERNETES_EXEC_INFO: request(exec) },
    });
    let [answer, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
      if (answer.length > ANSWER_BYTES) end(new Error(`${command} answers without an end.`));
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-SAID);
    });
    /** A child of its own may hold the pipes: they are closed here, or this program would wait for it. */
    const end = (reason: Error) => {
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
      reject(reason);
    };
    const abort = () => end(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const settle = (error: Error | null) => {
      signal.removeEventListener('abort', abort);
      if (error === null) resolve(answer);
      else reject(error);
    };
    child.once('error', (error) => settle(new Error(`${command} cannot be started: ${error.message}.`)));
    child.once('close', (code, by) => {
      if (code === 0) return settle(null);
      const ending = code === null ? `was ended by ${by}` : `ended with code ${code}`;
      settle(
        new Error(`${command} ${ending}${said.trim() === '' ? ' and said nothing' : `: ${said.trim()}`}`),
      );
    });
  });
}

/** The question to the plugin. Nobody can answer questions of its own. */
const request = (exec: ObjectFields) =>
  JSON.stringify({
    apiVersion: textOf(exec, 'apiVersion') || 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: { interactive: false },
  });

function statusIn(answer: string, command: string): ObjectFields {
  try {
    const credential: unknown = JSON.parse(answer);
    const status = isFields(credential) ? own(credential, 'status') : null;
    if (isFields(status)) return status;
  } catch {
    // Said below, without the answer: it may hold half a token.
  }
  throw new Error(`${command} does not answer with an ExecCredential.`);
}

function textOf(fields: ObjectFields, key: string): string {
  const value = own(fields, key);
  return typeof value === 'string' ? value : '';
}

const texts = (list: unknown) => (Array.isArray(list) ? list.map(String) : []);

function namedValues(list: unknown): Record<string, string> {
  const entries = Array.isArray(list) ? list.filter(isFields) : [];
  return Object.fromEntries(entries.map((entry) => [textOf(entry, 'name'), textOf(entry, 'value')]));
}
