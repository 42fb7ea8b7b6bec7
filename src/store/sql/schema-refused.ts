/** The database cannot be used by this version of Evident; the message says what to do. */
export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
}
