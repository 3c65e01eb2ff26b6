import { createHash } from 'node:crypto';

const MAX_NAME = 64;
const PLAIN = /^[A-Za-z0-9_-]+$/;
/** Names that end like this are those that were altered. */
const ALTERED = /_[0-9a-f]{8}$/;

/**
 * The name of a connector's tool as models are told it: `github__create_issue`. No two tools have the same one: names of
 * connectors have no underscore, so that the first two tell where the tool's begins; what is too long or has other letters
 * ends in a hash of the true name, and nothing else does.
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
