/** Who did something. */
export interface AuditActor {
  readonly kind: 'key' | 'session' | 'system';
  /** Key id or user id; null for the platform itself. */
  readonly id: string | null;
}
