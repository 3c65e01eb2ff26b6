/** Names under which examples of a `.env` file are kept on purpose. */
const EXAMPLES = /\.(example|sample|template|dist|defaults?|schema)$/;

/** True for `.env` files, at any depth, that are likely to hold secrets. */
export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /^\.env(\..+)?$/.test(name) && !EXAMPLES.test(name);
}
