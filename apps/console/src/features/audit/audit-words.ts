import type { AuditEntry } from '@berth/contract';
import { AUDIT_ACTIONS, type AuditAction, type AuditNoun } from '@berth/contract/audit-actions';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Names of what audit entries refer to, in the language of the console. */
export interface AuditWords {
  /** Returns the name of an action or of a noun; what another version recorded stays as it is. */
  action(action: string): string;
  actor(entry: Pick<AuditEntry, 'actor' | 'actor_name'>): string;
  /** Returns the name of what was changed; for an object of a volume, with its path. */
  target(entry: Pick<AuditEntry, 'target' | 'target_name' | 'details'>): string;
  /** Returns the filters by action: each noun with several actions, followed by its actions. */
  options(): readonly { readonly value: string; readonly label: string }[];
}

const nounOf = (action: AuditAction) => action.split('.')[0] as AuditNoun;
const NOUNS = [...new Set(AUDIT_ACTIONS.map(nounOf))].toSorted();

export function useAuditWords(): AuditWords {
  const { t } = useConsoleTexts();
  const name = (action: AuditAction) => t(`audit.did.${action}`);
  return {
    action(action) {
      if (isNoun(action)) return t(`audit.all.${action}`);
      return isAction(action) ? name(action) : action;
    },
    actor({ actor, actor_name }) {
      if (actor.kind === 'system') return t('audit.actor.system');
      return actor_name ?? t(actor.kind === 'key' ? 'audit.deletedKey' : 'audit.formerPerson');
    },
    target({ target, target_name, details }) {
      const path = details['path'] ?? details['from'];
      return typeof path === 'string' ? `${target}/${path}` : (target_name ?? target);
    },
    options: () =>
      NOUNS.flatMap((noun) => {
        const actions = AUDIT_ACTIONS.filter((action) => nounOf(action) === noun);
        const each = actions.map((action) => ({ value: action, label: name(action) }));
        return actions.length > 1 ? [{ value: noun, label: t(`audit.all.${noun}`) }, ...each] : each;
      }),
  };
}

function isNoun(action: string): action is AuditNoun {
  return (NOUNS as readonly string[]).includes(action);
}

function isAction(action: string): action is AuditAction {
  return (AUDIT_ACTIONS as readonly string[]).includes(action);
}
