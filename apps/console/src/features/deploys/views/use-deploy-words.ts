import type { DeploySummary } from '@berth/contract';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Functions that describe a deploy in words. */
export interface DeployWords {
  /** Returns who started it and when. */
  began(deploy: DeploySummary, nowMs: number): string;
  /** Returns the duration, or the time elapsed so far. */
  took(deploy: DeploySummary, nowMs: number): string;
}

/** Returns the functions that describe a deploy in the language of the console. */
export function useDeployWords(): DeployWords {
  const { t, formats } = useConsoleTexts();
  /** Returns who started the deploy; undefined if that was not recorded. */
  const who = ({ actor }: DeploySummary) => {
    if (!actor) return undefined;
    if (actor.kind === 'system') return t('audit.actor.system');
    if (actor.kind === 'session') return actor.name ?? t('deploys.somePerson');
    return actor.name === null ? t('deploys.someKey') : t('deploys.key', { name: actor.name });
  };
  return {
    began(deploy, nowMs) {
      const name = who(deploy);
      const when = formats.ago(deploy.created_at, Math.max(nowMs, Date.parse(deploy.created_at)));
      return name === undefined ? t('deploys.beganAlone', { when }) : t('deploys.began', { who: name, when });
    },
    took({ created_at, ended_at }, nowMs) {
      const seconds = Math.max(0, (ended_at === null ? nowMs : Date.parse(ended_at)) - Date.parse(created_at)) / 1000;
      const unit = seconds < 100 ? 'second' : 'minute';
      return formats.number(unit === 'second' ? seconds : seconds / 60, {
        style: 'unit',
        unit,
        unitDisplay: 'short',
        maximumFractionDigits: ended_at !== null && seconds < 10 ? 1 : 0,
      });
    },
  };
}
