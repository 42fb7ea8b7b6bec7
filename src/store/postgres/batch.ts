import pg from 'pg';
import { serialize } from 'pg-protocol';
import type { Value } from '../sql/dialect.ts';
import { type BoundArray, encodeArray } from './binary-array.ts';

const INT8 = 20;
const JSON_TYPE = 114;

/** A value of a statement. */
export type Bound = Value | BoundArray;

/** A statement to send, with the callbacks of its caller. */
export interface PendingStatement {
  readonly text: string;
  readonly values: readonly Bound[];
  answer(answered: StatementResult): void;
  fail(error: unknown): void;
}

export interface StatementResult {
  readonly rows: readonly (readonly unknown[])[];
  /** The number of rows that the statement changed or found. */
  readonly count: number;
  /** The command tag of the answer, such as `COMMIT` or `ROLLBACK`. */
  readonly command: string;
}

type Parser = (text: string) => unknown;

/**
 * Parses bigints into numbers and leaves JSON as text until its column is decoded; the driver parses the
 * rest.
 */
function parserOf({ dataTypeID }: { readonly dataTypeID: number }): Parser {
  if (dataTypeID === INT8) return Number;
  if (dataTypeID === JSON_TYPE) return (text) => text;
  return pg.types.getTypeParser(dataTypeID, 'text');
}

/** The statements that each connection has prepared, with the parsers of their columns. */
const prepared = new WeakMap<pg.Connection, Map<string, readonly Parser[]>>();
const names = new Map<string, string>();

/**
 * Statements that are sent together before a single Sync: the database answers all of them at once. If one
 * fails, it skips the rest, so that a COMMIT behind it commits nothing. Each is prepared and described once
 * per connection. Rejected: the driver's own pipeline, with one Sync and one description for each statement;
 * both sides woke up for every answer, and a shared transaction has about twenty.
 */
export class StatementBatch implements pg.Submittable {
  readonly statements: readonly PendingStatement[];
  /** The driver calls `callback` with a timeout if no answer arrives in this time. */
  readonly query_timeout: number;
  /** Called once, when everything is answered or nothing more will be. The driver replaces it by its own. */
  callback: (error: unknown) => void;
  #parsers = new Map<string, readonly Parser[]>();
  #rows: unknown[][] = [];
  /** The number of statements that were answered. */
  #done = 0;

  constructor(statements: readonly PendingStatement[], answerMs: number, over: (error: unknown) => void) {
    this.statements = statements;
    this.query_timeout = answerMs;
    this.callback = (error) => {
      over(error);
      for (const left of statements.slice(this.#done)) left.fail(error);
    };
  }

  submit(connection: pg.Connection): void {
    this.#parsers = prepared.get(connection) ?? this.#parsers;
    prepared.set(connection, this.#parsers);
    const messages: Buffer[] = [];
    const sent = new Set<string>();
    for (const { text, values } of this.statements) {
      const name = nameOf(text);
      if (!this.#parsers.has(text) && !sent.has(text)) {
        // If an earlier preparation failed halfway, the name is taken; closing a name that does not exist is
        // no error.
        messages.push(
          serialize.close({ type: 'S', name }),
          serialize.parse({ name, text }),
          serialize.describe({ type: 'S', name }),
        );
        sent.add(text);
      }
      messages.push(serialize.bind({ statement: name, values: values.map(encoded) }), serialize.execute());
    }
    messages.push(serialize.sync());
    // One write costs a twelfth less of the server's own time than one per message (measured with `commands`
    // over HTTP). If the stream is no longer writable, the end of the connection fails the statements.
    if (connection.stream.writable) connection.stream.write(Buffer.concat(messages));
  }

  handleRowDescription({ fields }: { fields: readonly { dataTypeID: number }[] }): void {
    this.#parsers.set(this.#current.text, fields.map(parserOf));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const parsers = this.#parsers.get(this.#current.text) ?? [];
    this.#rows.push(fields.map((text, i) => (text === null ? null : parsers[i]?.(text))));
  }

  handleCommandComplete({ text: tag }: { text: string }): void {
    const { text, answer } = this.#current;
    if (!this.#parsers.has(text)) this.#parsers.set(text, []);
    const [command = ''] = tag.split(' ', 1);
    const rows = this.#rows;
    this.#rows = [];
    this.#done += 1;
    answer({ rows, command, count: Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0 });
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  get #current(): PendingStatement {
    return this.statements[this.#done] as PendingStatement;
  }
}

/**
 * The name of a prepared statement. It ends with the first word of the text, for readers of the database's
 * log or of the wire.
 */
function nameOf(text: string): string {
  const existing = names.get(text);
  if (existing !== undefined) return existing;
  const name = `${names.size} ${text.split(' ', 1)}`;
  names.set(text, name);
  return name;
}

function encoded(value: Bound): string | Buffer | null {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'object' ? encodeArray(value) : String(value);
}
