import type { Migration } from '@berth/sqlite';
import { createIndex, ofAccount, primary, required } from './columns.ts';

/** Rules for alerts, what they are measured by, and their notifications. */
export const alertsMigration: Migration = {
  id: 20,
  name: 'alerts',
  async up(db) {
    await db.schema
      .createTable('alert_rules')
      .addColumn('id', 'text', primary)
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('title', 'text', required)
      .addColumn('condition', 'text', required)
      .addColumn('deployment', 'text', (column) => column.references('deployments.name').onDelete('cascade'))
      .addColumn('user_ids', 'text', required)
      .addColumn('webhook_url', 'text')
      .addColumn('sealed_secret', 'text')
      .addColumn('resolve_after_ms', 'bigint', required)
      .addColumn('is_enabled', 'integer', required)
      .addColumn('created_at', 'bigint', required)
      .execute();
    await db.schema
      .createTable('alert_states')
      .addColumn('rule_id', 'text', (column) => column.notNull().references('alert_rules.id').onDelete('cascade'))
      .addColumn('subject', 'text', required)
      .addColumn('since', 'bigint', required)
      .addColumn('clear_since', 'bigint')
      .addPrimaryKeyConstraint('alert_states_key', ['rule_id', 'subject'])
      .execute();
    await db.schema
      .createTable('alert_events')
      .addColumn('id', 'text', primary)
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('rule_id', 'text', required)
      .addColumn('title', 'text', required)
      .addColumn('kind', 'text', required)
      .addColumn('subject', 'text', required)
      .addColumn('message', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .execute();
    await createIndex(db, 'alert_events_account', 'alert_events', ['account_id', 'id']);
    await db.schema
      .createTable('alert_deliveries')
      .addColumn('id', 'text', primary)
      .addColumn('event_id', 'text', (column) => column.notNull().references('alert_events.id').onDelete('cascade'))
      .addColumn('channel', 'text', required)
      .addColumn('target', 'text', required)
      .addColumn('mail_id', 'text')
      .addColumn('state', 'text', required)
      .addColumn('attempts', 'integer', required)
      .addColumn('next_attempt_at', 'bigint', required)
      .addColumn('last_error', 'text')
      .execute();
    await createIndex(db, 'alert_deliveries_due', 'alert_deliveries', ['state', 'next_attempt_at']);
    await createIndex(db, 'alert_deliveries_event', 'alert_deliveries', ['event_id']);
    await db.schema
      .createTable('service_counts')
      .addColumn('deployment', 'text', required)
      .addColumn('step', 'bigint', required)
      .addColumn('server', 'text', required)
      .addColumn('account_id', 'text', required)
      .addColumn('requests', 'integer', required)
      .addColumn('errors', 'integer', required)
      .addColumn('crashes', 'integer', required)
      .addColumn('latencies', 'text', required)
      .addPrimaryKeyConstraint('service_counts_key', ['deployment', 'step', 'server'])
      .execute();
  },
};
