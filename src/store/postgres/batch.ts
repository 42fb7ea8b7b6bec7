import pg from 'pg';
import { serialize } from 'pg-protocol';
import type { Value } from '../sql/dialect.ts';

const INT8 = 20;
const JSON_TYPE = 114;

/** A list is an array of the database. */
export type Bound = Value | readonly Value[];

/** A statement on its way, and who waits for its answer. */
export interface Asked {
  readonly text: string;
  readonly values: readonly Bound[];
  answer(answered: Answered): void;
  fail(error: unknown): void;
}

export interface Answered {
  readonly rows: readonly (readonly unknown[])[];
  /** How many rows it changed or found. */
  readonly count: number;
  /** What the database says it did. */
  readonly command: string;
}

type Parser = (text: string) => unknown;

/** Numbers that fit are numbers, JSON stays text until its column is decoded, the rest as the driver has it. */
function parserOf({ dataTypeID }: { readonly dataTypeID: number }): Parser {
  if (dataTypeID === INT8) return Number;
  if (dataTypeID === JSON_TYPE) return (text) => text;
  return pg.types.getTypeParser(dataTypeID, 'text');
}

/** The texts that a connection has prepared, with what makes values of the columns that each answers. */
const prepared = new WeakMap<pg.Connection, Map<string, readonly Parser[]>>();
const names = new Map<string, string>();

/**
 * Statements that go out together, behind one another and before a single Sync: the database answers all of them in
 * one piece. Where one fails it skips the rest, so that a COMMIT behind it commits nothing. Each is prepared once per
 * connection and only then described. Rejected: the driver's own pipeline, one Sync and one description for each of
 * them; both sides were woken for every answer, and a shared transaction has about twenty.
 */
export class Batch implements pg.Submittable {
  readonly statements: readonly Asked[];
  /** The driver calls it without an answer in this time. */
  readonly query_timeout: number;
  /** Once, when all is answered or nothing more will be. The driver puts its own in its place. */
  callback: (error: unknown) => void;
  #known = new Map<string, readonly Parser[]>();
  #rows: unknown[][] = [];
  /** How many were answered. */
  #done = 0;

  constructor(statements: readonly Asked[], answerMs: number, over: (error: unknown) => void) {
    this.statements = statements;
    this.query_timeout = answerMs;
    this.callback = (error) => {
      over(error);
      for (const left of statements.slice(this.#done)) left.fail(error);
    };
  }

  submit(connection: pg.Connection): void {
    this.#known = prepared.get(connection) ?? this.#known;
    prepared.set(connection, this.#known);
    const messages: Buffer[] = [];
    const sent = new Set<string>();
    for (const { text, values } of this.statements) {
      const name = nameOf(text);
      if (!this.#known.has(text) && !sent.has(text)) {
        // Where preparing it failed halfway the name is taken; closing one that is not there is no error.
        messages.push(
          serialize.close({ type: 'S', name }),
          serialize.parse({ name, text }),
          serialize.describe({ type: 'S', name }),
        );
        sent.add(text);
      }
      messages.push(serialize.bind({ statement: name, values: values.map(asText) }), serialize.execute());
    }
    messages.push(serialize.sync());
    // In one piece, which is a twelfth of the server's own time less than as many as there are messages (measured with
    // `commands` over HTTP). What cannot be written any more is told by the end of its connection.
    if (connection.stream.writable) connection.stream.write(Buffer.concat(messages));
  }

  handleRowDescription({ fields }: { fields: readonly { dataTypeID: number }[] }): void {
    this.#known.set(this.#current.text, fields.map(parserOf));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const parsers = this.#known.get(this.#current.text) ?? [];
    this.#rows.push(fields.map((text, i) => (text === null ? null : parsers[i]?.(text))));
  }

  handleCommandComplete({ text: told }: { text: string }): void {
    const { text, answer } = this.#current;
    if (!this.#known.has(text)) this.#known.set(text, []);
    const [command = ''] = told.split(' ', 1);
    const rows = this.#rows;
    this.#rows = [];
    this.#done += 1;
    answer({ rows, command, count: Number(told.slice(told.lastIndexOf(' ') + 1)) || 0 });
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  get #current(): Asked {
    return this.statements[this.#done] as Asked;
  }
}

/** With the word that it begins with, for who reads the log of the database or listens on the wire. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `${names.size} ${text.split(' ', 1)}`;
  names.set(text, name);
  return name;
}

function asText(value: Bound): string | null {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'object' ? `{${value.map(element).join()}}` : String(value);
}

function element(value: Value): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? quoted(value) : String(value);
}

/** Text that JSON only puts in quotes, with a backslash before those and before its like. */
const PLAIN = /^[\x20-\ud7ff\ue000-\uffff]*$/;

/** The way of JSON is the way of arrays then, and three times as fast: most of what is long is JSON, full of quotes. */
const quoted = (text: string) =>
  PLAIN.test(text) ? JSON.stringify(text) : `"${text.replace(/["\\]/g, '\\$&')}"`;
