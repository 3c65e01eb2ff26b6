import { IconButton } from '@berth/ui';
import { CircleAlert, Link, ShieldBan, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { MessageLink } from '../media/message-link.tsx';
import { visible } from '../media/visible.ts';
import type { ArtifactReport } from './frame-messages.ts';

const ICONS = { error: CircleAlert, blocked: ShieldBan, link: Link } as const;

export interface ReportNoteProps {
  readonly report: ArtifactReport;
  /** Actions beside the note. */
  readonly children?: ReactNode;
  onDismiss(): void;
}

/** A report of an artifact: an error, an address that was blocked, or a link that the person followed. */
export function ReportNote({ report: { type, message }, children, onDismiss }: ReportNoteProps) {
  const { t } = useChatTexts();
  const Icon = ICONS[type];
  return (
    <div
      role={type === 'error' ? 'alert' : 'status'}
      className="flex items-start gap-2 border-t border-line bg-raised px-3 py-2 text-sm"
    >
      <Icon aria-hidden className={`mt-1.5 size-4 shrink-0 ${type === 'error' ? 'text-bad' : 'text-ink-soft'}`} />
      <div className="min-w-0 flex-1 py-1">
        <p>{t(`artifact.report.${type}`)}</p>
        <p
          dir="auto"
          className="max-h-24 overflow-y-auto font-mono text-xs break-words whitespace-pre-wrap text-ink-soft"
        >
          {type === 'link' ? <MessageLink href={message}>{visible(message)}</MessageLink> : visible(message)}
        </p>
      </div>
      {children}
      <IconButton icon={X} label={t('artifact.dismiss')} onClick={onDismiss} />
    </div>
  );
}
