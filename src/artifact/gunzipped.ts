import { createGunzip, type Gunzip } from 'node:zlib';
import { SourceRejected } from './source-rejected.ts';

/**
 * Decompresses piece by piece and hands each piece to `onPiece`. An error that `onPiece` throws stops the
 * decompression at that piece, so a bomb is never unpacked further than to where it was refused.
 */
export class Gunzipped {
  readonly #gunzip: Gunzip = createGunzip({ chunkSize: 64 * 1024 });
  #failure: unknown = null;
  #written = 0;

  constructor(onPiece: (piece: Uint8Array) => void) {
    this.#gunzip.on('data', (piece: Buffer) => {
      if (this.#failure !== null) return;
      try {
        onPiece(piece);
      } catch (error) {
        this.#failure = error;
        this.#gunzip.destroy();
      }
    });
    this.#gunzip.on('error', (error) => this.#fail(error));
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#written += chunk.length;
    return this.#until((done) => this.#gunzip.write(chunk, done));
  }

  /**
   * Node stops at zeros after a gzip member, whatever follows them. Another reader could find more data
   * there.
   */
  async end(): Promise<void> {
    await this.#until((done) => {
      this.#gunzip.once('end', done);
      this.#gunzip.end();
    });
    if (this.#gunzip.bytesWritten !== this.#written) {
      throw new SourceRejected('damaged', null, 'The archive is damaged: there are bytes after its end.');
    }
  }

  destroy(): void {
    this.#gunzip.destroy();
  }

  /** Each step ends with its own callback or, when the stream fails under it, with the stream's close. */
  #until(act: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (error?: Error | null) => {
        this.#gunzip.off('close', finish);
        if (error) this.#fail(error);
        if (this.#failure === null) resolve();
        else reject(this.#failure);
      };
      if (this.#failure !== null) return finish();
      this.#gunzip.once('close', finish);
      act(finish);
    });
  }

  #fail(error: NodeJS.ErrnoException): void {
    this.#failure ??=
      error.code === 'Z_BUF_ERROR'
        ? new SourceRejected('truncated', null, 'The archive is cut off: send it again.')
        : new SourceRejected('damaged', null, 'The archive is damaged: it cannot be unzipped.');
  }
}
