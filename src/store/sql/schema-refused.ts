import { Refusal } from '../../contract/refusal.ts';

/** The database cannot be used by this version of Evident; the message says what to do. */
export class SchemaRefused extends Refusal {
  override readonly name = 'SchemaRefused';
}
