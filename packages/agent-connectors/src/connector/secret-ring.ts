/** The agent's key ring: the current key seals, all keys open. */
export interface SecretRing {
  /** Returns a box whose keys are derived for `purpose` alone. */
  box(purpose: string): SecretBox;
  /** Id of the key that seals. */
  readonly currentKeyId: string;
}

/** Authenticated encryption of short texts. A sealed text opens with the same `context` only. */
export interface SecretBox {
  /** Returns `<key id>.<base64url of nonce, ciphertext and tag>`. */
  seal(text: string, context: readonly string[]): string;
  /**
   * Returns the text; undefined when its key is missing, or the sealed text was changed or moved to another context.
   */
  open(sealed: string, context: readonly string[]): string | undefined;
}
