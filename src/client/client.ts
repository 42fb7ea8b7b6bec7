/** A refusal of the server, as its problem document says it. */
export class ProblemAnswer extends Error {
  override readonly name = 'ProblemAnswer';
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(problem: Readonly<Record<string, unknown>>) {
    super(`${problem.title}: ${problem.detail}`);
    this.problem = problem;
  }
}

/** No server answered at all. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Calls the API of a server with one token. */
export class Client {
  readonly #server: string;
  readonly #token: string;

  constructor(server: string, token: string) {
    this.#server = server.replace(/\/$/, '');
    this.#token = token;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.#server}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new Unreachable(`No server answers at ${this.#server}. Start one with: evident server`, {
        cause: error,
      });
    });
    const text = await response.text();
    const answer: unknown = text === '' ? null : parsed(text);
    if (response.ok) return answer as T;
    throw new ProblemAnswer(
      isProblem(answer) ? answer : { title: 'The server failed', detail: `status ${response.status}` },
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isProblem = (answer: unknown): answer is Record<string, unknown> =>
  typeof answer === 'object' && answer !== null && 'code' in answer;
