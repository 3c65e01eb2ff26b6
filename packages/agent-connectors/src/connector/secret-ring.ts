/** Keys of the agent: the current one seals, all of them open. */
export interface SecretRing {
  /** Of one purpose, with keys of its own. */
  box(purpose: string): SecretBox;
  /** Id of the key that seals. */
  readonly currentKeyId: string;
}

/** Seals short texts. A sealed text is bound to its `context`: elsewhere it does not open. */
export interface SecretBox {
  /** `<key id>.<base64url of nonce, ciphertext and tag>`. */
  seal(text: string, context: readonly string[]): string;
  /** Undefined when its key is not there, or it was changed or moved. */
  open(sealed: string, context: readonly string[]): string | undefined;
}
