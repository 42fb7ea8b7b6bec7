import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { Refusal } from '../../contract/refusal.ts';
import { coversHost } from '../supervise/hosts.ts';

/** Where certificates lie: one pair of files, or a folder of pairs if no key is named. */
export interface CertificateSource {
  readonly cert: string;
  readonly key: string | null;
}

/** No certificate can be used; the message says which file, and why. */
class CertificateRefused extends Refusal {
  override readonly name = 'CertificateRefused';
  override readonly code = 'certificate_refused';
}

interface PairFiles {
  readonly cert: string;
  readonly key: string;
}

interface CertificatePair {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly context: SecureContext;
  readonly names: readonly string[];
}

/** Reads certificates from files, and again when the files change. A pair that cannot be used keeps the former one. */
export class Certificates {
  readonly #source: CertificateSource;
  readonly #say: (line: string) => void;
  readonly #pairs = new Map<string, CertificatePair>();
  /** The state of the files at the last reading of each pair. */
  readonly #read = new Map<string, string>();

  private constructor(source: CertificateSource, say: (line: string) => void) {
    this.#source = source;
    this.#say = say;
  }

  /** Throws `CertificateRefused` if no pair can be used. */
  static open(source: CertificateSource, say: (line: string) => void): Certificates {
    const problems: string[] = [];
    const certificates = new Certificates(source, say);
    certificates.#readAll((line) => problems.push(line));
    if (certificates.#pairs.size === 0)
      throw new CertificateRefused(
        problems.length > 0
          ? problems.join(' ')
          : `${source.cert} holds no certificate: a folder needs pairs such as web.crt and web.key, or folders with fullchain.pem and privkey.pem.`,
      );
    for (const problem of problems) say(problem);
    return certificates;
  }

  /** Reads what has changed since. */
  readAgain(): void {
    this.#readAll(this.#say);
  }

  /** The host names that a client can be shown a certificate for; one may begin with `*.`. */
  get names(): readonly string[] {
    return [...new Set([...this.#pairs.values()].flatMap(({ names }) => names))];
  }

  /** The certificate for a host name; a client that names none, or one that none coversHost, gets the first. */
  contextFor(host: string): SecureContext | undefined {
    const pairs = [...this.#pairs.values()];
    const exact = pairs.find(({ names }) => names.includes(host.toLowerCase()));
    return (exact ?? pairs.find(({ names }) => coversHost(names, host)) ?? pairs[0])?.context;
  }

  /** For a client that names no host. */
  get first(): { readonly cert: Buffer; readonly key: Buffer } | undefined {
    return [...this.#pairs.values()][0];
  }

  #readAll(say: (line: string) => void): void {
    let files: readonly PairFiles[];
    try {
      files = pairFiles(this.#source);
    } catch (error) {
      say(`${this.#source.cert} cannot be read (${(error as Error).message}).${this.#kept()}`);
      return;
    }
    for (const pair of files) this.#readPair(pair, say);
    // A pair that was removed is no longer shown, unless nothing would be left.
    const there = new Set(files.map(({ cert }) => cert));
    for (const cert of this.#pairs.keys())
      if (!there.has(cert) && this.#pairs.size > 1) this.#pairs.delete(cert);
  }

  #readPair(files: PairFiles, say: (line: string) => void): void {
    const state = stateOf(files);
    if (this.#read.get(files.cert) === state) return;
    this.#read.set(files.cert, state);
    const isNew = !this.#pairs.has(files.cert);
    try {
      this.#pairs.set(files.cert, pairOf(files));
      if (!isNew) say(`${files.cert}: the renewed certificate is in use.`);
    } catch (error) {
      const kept = isNew ? '' : ' The former one stays in use.';
      say(`${files.cert} and ${files.key} cannot be used: ${(error as Error).message}.${kept}`);
    }
  }

  #kept(): string {
    return this.#pairs.size === 0 ? '' : ' What was read before stays in use.';
  }
}

function pairFiles({ cert, key }: CertificateSource): readonly PairFiles[] {
  if (key !== null) return [{ cert, key }];
  const found = readdirSync(cert).sort();
  const flat = found.flatMap((name) => {
    const stem = /^(.+)\.(?:crt|pem)$/.exec(name)?.[1];
    if (stem === undefined || !found.includes(`${stem}.key`)) return [];
    return [{ cert: join(cert, name), key: join(cert, `${stem}.key`) }];
  });
  const folders = found.flatMap((name) => {
    const pair = { cert: join(cert, name, 'fullchain.pem'), key: join(cert, name, 'privkey.pem') };
    return existsSync(pair.cert) ? [pair] : [];
  });
  return [...flat, ...folders];
}

/** Links are followed: a renewal may only turn a link. */
const stateOf = ({ cert, key }: PairFiles) =>
  [cert, key]
    .map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return `${stats?.ino} ${stats?.mtimeMs} ${stats?.size}`;
    })
    .join();

function pairOf(files: PairFiles): CertificatePair {
  const cert = readFileSync(files.cert);
  const key = readFileSync(files.key);
  const leaf = new X509Certificate(cert);
  if (!leaf.checkPrivateKey(createPrivateKey(key))) throw new Error('the key is not that of the certificate');
  const names = [...(leaf.subjectAltName ?? '').matchAll(/DNS:([^,\s]+)/g)];
  return {
    ...{ cert, key },
    context: createSecureContext({ cert, key }),
    names: names.map(([, name = '']) => name.toLowerCase()),
  };
}
