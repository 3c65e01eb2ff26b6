/**
 * Tables with nothing but the leases and reports of running servers. Copies, backups and restores leave them out: none of those servers runs on the
 * other side, and the first one there begins with empty tables.
 */
export const RUNNING_TABLES: ReadonlySet<string> = new Set(['gateways', 'instance_reports', 'partitions']);
