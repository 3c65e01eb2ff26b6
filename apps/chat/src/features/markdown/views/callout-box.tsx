import type { CalloutFrame } from '@berth/contract/agent';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { directionOf } from '../../../components/direction-of.ts';
import { useChatTexts } from '../../../text/use-chat-texts.ts';

const STYLES = {
  info: { Icon: Info, box: 'bg-accent-soft', ink: 'text-accent' },
  warning: { Icon: TriangleAlert, box: 'bg-warn-soft', ink: 'text-warn' },
  error: { Icon: CircleAlert, box: 'bg-bad-soft', ink: 'text-bad' },
  success: { Icon: CircleCheck, box: 'bg-good-soft', ink: 'text-good' },
} as const;

export interface CalloutBoxProps {
  readonly style: CalloutFrame['style'];
  /** The heading; the name of the style when absent. */
  readonly title?: string | undefined;
  /** The text below the heading, which sets the direction. */
  readonly text: string;
  readonly children: ReactNode;
}

/** A highlighted note. Its style shows in the heading and the icon, not in the color alone. */
export function CalloutBox({ style: given, title, text, children }: CalloutBoxProps) {
  const { t } = useChatTexts();
  const style = Object.hasOwn(STYLES, given) ? given : 'info';
  const { Icon, box, ink } = STYLES[style];
  return (
    <div
      role={style === 'error' ? 'alert' : 'note'}
      dir={directionOf(text) ?? directionOf(title ?? '')}
      className={`my-3 flex gap-3 rounded-lg px-4 py-3 ${box}`}
    >
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${ink}`} />
      <div className="min-w-0 flex-1">
        <strong>
          <bdi>{title ?? t(`callout.${style}`)}</bdi>
        </strong>
        <div className="[&>:first-child]:mt-1 [&>:last-child]:mb-0">{children}</div>
      </div>
    </div>
  );
}
