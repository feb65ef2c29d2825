export const DEFAULT_SCHEMA = 'gateramp';

/** Names that need no quoting anywhere, so no SQL of ours can be changed by one. */
const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

export function checkSchema(schema: string): string {
  if (NAME.test(schema)) return schema;
  throw new Error(`The schema "${schema}" is not a valid name. Use lower-case letters, digits and underscores.`);
}
