/** An order that cannot be carried out as it is: nothing was changed. */
export class ApplyRefused extends Error {
  override readonly name = 'ApplyRefused';
  readonly code: string;
  readonly retrySafe: boolean;
  constructor(code: string, message: string, retrySafe = false) {
    super(message);
    this.code = code;
    this.retrySafe = retrySafe;
  }
}
