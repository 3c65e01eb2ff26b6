/** An e-mail that was decided. Times are epoch milliseconds, wall clock. */
export interface MailOutboxTable {
  /** `eml_…`; also its `Message-ID`. */
  readonly id: string;
  /** The account that it is about; null for a person or the platform. */
  readonly account_id: string | null;
  readonly kind: string;
  readonly recipient: string;
  /** Sealed JSON: the text, or a request to make it. Null once the mail was sent or given up. */
  sealed_content: string | null;
  state: 'queued' | 'sent' | 'dead';
  attempts: number;
  next_attempt_at: number;
  /** After this time it is not sent any more; null: never. */
  readonly expires_at: number | null;
  last_error: string | null;
  readonly created_at: number;
  ended_at: number | null;
}

/** A device and network from which a person has signed in. */
export interface SignInPlacesTable {
  readonly user_id: string;
  /** SHA-256 of the browser, the system and the network. */
  readonly hash: string;
  /** The last sign-in. Epoch milliseconds, wall clock. */
  seen_at: number;
}
