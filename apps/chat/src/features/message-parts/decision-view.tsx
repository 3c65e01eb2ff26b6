import type { DecisionPart, ExpiredPart } from '@berth/contract/agent';
import { Time } from '@berth/ui';
import { Clock, ShieldCheck, ShieldX } from 'lucide-react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { visible } from '../media/visible.ts';

const ICONS = { approve: ShieldCheck, always: ShieldCheck, deny: ShieldX, expired: Clock };

/** A line that says who decided on a tool call, when and why, or that the approval expired. Hovering shows the person's ID. */
export function DecisionView({ part }: { readonly part: DecisionPart | ExpiredPart }) {
  const { t } = useChatTexts();
  const { decision, tool, label = tool ?? '' } = part;
  const { by, at } = part.decision === 'expired' ? { by: '', at: '' } : part;
  const Icon = ICONS[decision];
  const name = decision === 'expired' ? '' : (part.by_name ?? part.by);
  const isNamed = decision !== 'expired' && name !== '';
  const what = isNamed ? t(`decision.${decision}By`, { name: visible(name) }) : t(`decision.${decision}`);
  const reason = decision === 'expired' ? undefined : part.reason;
  return (
    <div role="note" className="my-2 text-ink-soft">
      <p dir="auto" className="flex gap-2">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 wrap-anywhere">
          <span title={isNamed ? visible(by) : undefined}>{what}</span>
          {label !== '' && (
            <>
              {': '}
              <bdi>{visible(label)}</bdi>
            </>
          )}
          {at !== '' && (
            <span className="text-xs before:mx-1.5 before:content-['·']">
              <Time at={at} />
            </span>
          )}
        </span>
      </p>
      {reason !== undefined && (
        <p dir="auto" className="ms-6 border-s-2 border-line ps-3 wrap-anywhere whitespace-pre-wrap">
          {visible(reason)}
        </p>
      )}
    </div>
  );
}
