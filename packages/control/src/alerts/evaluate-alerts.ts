import type { AlertRulesTable } from '@berth/database';
import { describeError } from '@berth/kit';
import type { HeldLease } from '../cluster/leases.ts';
import type { ControlContext } from '../context/control-context.ts';
import { type Finding, type JudgeDeps, judgeAlert } from './judge-alert.ts';
import { type RecordDeps, recordAlertEvent } from './record-alert-event.ts';

/** Options of {@link createAlertEvaluator}. */
export interface AlertEvaluatorOptions extends Pick<ControlContext, 'db' | 'clock' | 'logger'> {
  readonly judge: JudgeDeps;
  readonly record: RecordDeps;
}

/**
 * Compares rules with what is measured. Invariants:
 * 1. A rule fires for a subject once, when its condition begins, and resolves once.
 * 2. It resolves when the condition was over without a break for `resolve_after`.
 * 3. The state, the event and its notifications are written in one transaction, under the lease.
 */
export function createAlertEvaluator({ db, clock, logger, judge, record }: AlertEvaluatorOptions) {
  const evaluate = async (rule: AlertRulesTable, { require }: Pick<HeldLease, 'require'>): Promise<void> => {
    const findings = new Map((await judgeAlert(rule, judge)).map((finding) => [finding.subject, finding]));
    const states = await db.selectFrom('alert_states').selectAll().where('rule_id', '=', rule.id).execute();
    const known = new Set(states.map(({ subject }) => subject));
    const begun = [...findings.values()].filter(({ subject }) => !known.has(subject));
    const changed = states.filter(({ subject, clear_since }) => !findings.has(subject) || clear_since !== null);
    if (begun.length === 0 && changed.length === 0) return;
    const nowMs = clock.nowMs();
    await db.transaction().execute(async (transaction) => {
      await require(transaction);
      // The rule may have been changed or removed meanwhile.
      const rules = transaction.selectFrom('alert_rules').selectAll().where('id', '=', rule.id);
      const current = await rules.where('is_enabled', '=', 1).executeTakeFirst();
      if (current?.condition !== rule.condition) return;
      for (const finding of begun) {
        const state = { rule_id: rule.id, subject: finding.subject, since: nowMs, clear_since: null };
        await transaction.insertInto('alert_states').values(state).execute();
        await recordAlertEvent(current, { kind: 'firing', ...finding, nowMs }, record, transaction);
      }
      for (const { subject, clear_since } of changed) {
        const isOver = !findings.has(subject);
        const clearSince = isOver ? (clear_since ?? nowMs) : null;
        const own = { rule_id: rule.id, subject };
        if (clearSince !== null && nowMs - clearSince >= current.resolve_after_ms) {
          await transaction
            .deleteFrom('alert_states')
            .where('rule_id', '=', own.rule_id)
            .where('subject', '=', subject)
            .execute();
          await recordAlertEvent(current, { kind: 'resolved', ...over(subject), nowMs }, record, transaction);
          continue;
        }
        if (clearSince === clear_since) continue;
        await transaction
          .updateTable('alert_states')
          .set({ clear_since: clearSince })
          .where('rule_id', '=', own.rule_id)
          .where('subject', '=', subject)
          .execute();
      }
    });
  };

  return {
    /** Evaluates every enabled rule once. A rule that can't be evaluated doesn't stop the others. */
    async run(lease: HeldLease): Promise<void> {
      for (const rule of await db.selectFrom('alert_rules').selectAll().where('is_enabled', '=', 1).execute()) {
        if (lease.signal.aborted) return;
        await evaluate(rule, lease).catch((error: unknown) =>
          logger.error({ alert: rule.id, error: describeError(error) }, 'an alert could not be evaluated; will retry'),
        );
      }
    },
  };
}

function over(subject: string): Finding {
  return { subject, message: `The condition is over for ${subject === '' ? 'the account' : subject}.` };
}
