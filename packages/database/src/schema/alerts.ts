/** A rule for alerts. Times are epoch milliseconds, wall clock. */
export interface AlertRulesTable {
  /** `alr_…`. */
  readonly id: string;
  readonly account_id: string;
  title: string;
  /** JSON of `AlertCondition`. */
  condition: string;
  /** Null: all deployments of the account. */
  readonly deployment: string | null;
  /** JSON list of the members who get mail. */
  user_ids: string;
  webhook_url: string | null;
  /** Signs requests of the webhook; null without one. */
  sealed_secret: string | null;
  resolve_after_ms: number;
  is_enabled: number;
  readonly created_at: number;
}

/** A rule that fires for a subject. */
export interface AlertStatesTable {
  readonly rule_id: string;
  /** Name of a deployment; empty for the account. */
  readonly subject: string;
  readonly since: number;
  /** When the condition was over; null while it holds. */
  clear_since: number | null;
}

/** A change of state that was decided. */
export interface AlertEventsTable {
  /** `alv_…`; the `webhook-id` of its requests. */
  readonly id: string;
  readonly account_id: string;
  readonly rule_id: string;
  readonly title: string;
  readonly kind: 'firing' | 'resolved' | 'test';
  readonly subject: string;
  readonly message: string;
  readonly created_at: number;
}

/** A notification of an event. */
export interface AlertDeliveriesTable {
  readonly id: string;
  readonly event_id: string;
  readonly channel: 'email' | 'webhook';
  readonly target: string;
  /** `mail_outbox.id`, which has the state of a mail; null for a webhook. */
  readonly mail_id: string | null;
  state: 'queued' | 'sent' | 'dead';
  attempts: number;
  next_attempt_at: number;
  last_error: string | null;
}

/** Requests and crashes of a deployment on one server in ten seconds, for accounts that have rules. Kept for two hours. */
export interface ServiceCountsTable {
  readonly deployment: string;
  /** Ten-second steps since 1970. */
  readonly step: number;
  /** A start of a server. */
  readonly server: string;
  readonly account_id: string;
  requests: number;
  /** Responses with status 500 or above. */
  errors: number;
  /** Crashes and failed starts. */
  crashes: number;
  /** JSON: requests by bucket of latency. */
  latencies: string;
}
