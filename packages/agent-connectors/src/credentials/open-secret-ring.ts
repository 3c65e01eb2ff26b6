import { createSecretRing, type SecretRing } from './create-secret-ring.ts';
import { type LoadKeysOptions, loadKeys } from './load-keys.ts';

/**
 * Returns a function that opens the agent's key ring once, when it is first needed: an agent that seals nothing has no key file.
 * Its promise rejects as {@link loadKeys} throws, and the next call tries again.
 */
export function lazySecretRing(options: LoadKeysOptions): () => Promise<SecretRing> {
  let opening: Promise<SecretRing> | undefined;
  return () => {
    opening ??= loadKeys(options)
      .then(createSecretRing)
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
    return opening;
  };
}
