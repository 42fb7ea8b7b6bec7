import { Refusal } from '../../contract/refusal.ts';

/** An order that cannot be carried out as it is: nothing was changed. */
export class ApplyRefused extends Refusal {
  override readonly name = 'ApplyRefused';
  override readonly code: string;
  /** Another try does no harm, whether or not it helps. */
  readonly retrySafe: boolean;
  /** The service that is in the way. */
  readonly holder: string | undefined;
  constructor(code: string, message: string, retrySafe = false, holder?: string) {
    super(message);
    this.code = code;
    this.retrySafe = retrySafe;
    this.holder = holder;
  }
}
