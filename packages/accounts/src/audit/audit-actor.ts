/** The actor of an audit record. */
export interface AuditActor {
  readonly kind: 'key' | 'session' | 'system';
  /** Key id or user id; null for the platform itself. */
  readonly id: string | null;
}
