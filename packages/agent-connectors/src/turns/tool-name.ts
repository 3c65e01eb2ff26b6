import { createHash } from 'node:crypto';

const MAX_NAME = 64;
const PLAIN = /^[A-Za-z0-9_-]+$/;
/** The suffix of shortened or escaped names. */
const ALTERED = /_[0-9a-f]{8}$/;

/**
 * Returns the name of a connector's tool for models: `github__create_issue`. Names are unique: connector names have no
 * underscore, so the first two underscores mark where the tool's name begins. A name that is too long or has other
 * characters ends in a hash of the tool's name on the server, and no other name has that ending.
 */
export function toolName(connector: string, tool: string): string {
  const plain = `${connector}__${tool}`;
  if (PLAIN.test(tool) && plain.length <= MAX_NAME && !ALTERED.test(tool)) return plain;
  const hash = createHash('sha256')
    .update(JSON.stringify([connector, tool]))
    .digest('hex')
    .slice(0, 8);
  const cut = `${connector}__${tool.replaceAll(/[^A-Za-z0-9_-]+/g, '_')}`.slice(0, MAX_NAME - hash.length - 1);
  return `${cut}_${hash}`;
}
