import type { Deployment } from '@berth/contract';
import type { BadgeTone } from '@berth/ui';
import type { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** A sentence about the status of a deployment, with its tone. */
export interface StatusSentence {
  readonly tone: BadgeTone;
  readonly text: string;
}

/** Returns the number of a revision such as `shop-00012-abc`: 12. Returns other ids unchanged. */
export function revisionNumber(revision: string): string {
  const number = /-(\d{5,})-[a-z]{3}$/.exec(revision)?.[1];
  return number === undefined ? revision : String(Number(number));
}

/** Returns the sentence about a deployment's status. */
export function statusSentence(
  { status, revision, instances }: Pick<Deployment, 'status' | 'revision' | 'instances'>,
  t: ReturnType<typeof useConsoleTexts>['t'],
): StatusSentence {
  if (status === 'deleting') return { tone: 'warn', text: t('overview.status.deleting') };
  if (revision === null) {
    return status === 'failed'
      ? { tone: 'bad', text: t('overview.status.failed') }
      : { tone: 'busy', text: t('overview.status.first') };
  }
  if (status === 'stopped') return { tone: 'warn', text: t('overview.status.stopped') };
  const number = revisionNumber(revision);
  return instances === 0
    ? { tone: 'neutral', text: t('overview.status.zero', { revision: number }) }
    : { tone: 'good', text: t('overview.status.serving', { revision: number }) };
}
