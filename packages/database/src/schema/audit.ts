/** Audit entries: actions and their actors. Rows are only added and read. */
export interface AuditLogTable {
  /** `aud_…`: sorts by time. */
  readonly id: string;
  readonly account_id: string;
  readonly created_at: number;
  readonly actor_kind: 'key' | 'session' | 'system';
  /** Key id or user id; null for the platform itself. */
  readonly actor_id: string | null;
  /** `<noun>.<verb>`, e.g. `key.create`. */
  readonly action: string;
  /** Id or name of the action's target. */
  readonly target: string;
  /** JSON object without secrets. */
  readonly details: string;
  /** The request that caused it; null for background work. */
  readonly request_id: string | null;
}
