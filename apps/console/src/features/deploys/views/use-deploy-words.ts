import type { DeploySummary } from '@berth/contract';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Functions that describe a deploy in words. */
export interface DeployWords {
  /** Returns who started a deploy; undefined if that was not recorded. */
  who(actor: DeploySummary['actor']): string | undefined;
  /** Returns who started it and when. */
  began(deploy: DeploySummary, nowMs: number): string;
  /** Returns the duration, or the time elapsed so far. */
  took(deploy: DeploySummary, nowMs: number): string;
  /** Returns a duration: "0.2 s", "48 s", "3 min". Tenths only below 10 s, and only once it has ended. */
  duration(ms: number, hasEnded: boolean): string;
}

/** Age below which a deploy started "just now". */
const JUST_NOW_MS = 5_000;

/** Returns the functions that describe a deploy in the language of the console. */
export function useDeployWords(): DeployWords {
  const { t, formats } = useConsoleTexts();
  const who = (actor: DeploySummary['actor']) => {
    if (!actor) return undefined;
    if (actor.kind === 'system') return t('audit.actor.system');
    if (actor.kind === 'session') return actor.name ?? t('deploys.somePerson');
    if (actor.name === null) return t('deploys.someKey');
    return t(actor.is_deleted ? 'deploys.deletedKey' : 'deploys.key', { name: actor.name });
  };
  const duration = (ms: number, hasEnded: boolean) => {
    const seconds = Math.max(0, ms) / 1000;
    if (seconds >= 100) return formats.span(seconds / 60, 'min');
    return formats.span(seconds, 's', hasEnded && seconds < 10 ? 1 : 0);
  };
  return {
    who,
    duration,
    began(deploy, nowMs) {
      const name = who(deploy.actor);
      const ageMs = Math.max(0, nowMs - Date.parse(deploy.created_at));
      const when =
        ageMs < JUST_NOW_MS
          ? t('deploys.justNow')
          : formats.ago(deploy.created_at, Date.parse(deploy.created_at) + ageMs);
      return name === undefined ? t('deploys.beganAlone', { when }) : t('deploys.began', { who: name, when });
    },
    took({ created_at, ended_at }, nowMs) {
      return duration((ended_at === null ? nowMs : Date.parse(ended_at)) - Date.parse(created_at), ended_at !== null);
    },
  };
}
