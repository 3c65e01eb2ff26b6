import { AppWindow } from 'lucide-react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import type { Artifact } from './artifact.ts';

export interface ArtifactCardProps {
  readonly kind: Artifact['kind'];
  readonly title: string;
  /** True while the artifact is being written. */
  readonly isLive?: boolean;
  onOpen(): void;
}

/** The card in an answer that opens an artifact beside the chat. */
export function ArtifactCard({ kind, title, isLive = false, onOpen }: ArtifactCardProps) {
  const { t } = useChatTexts();
  const name = title || t('artifact.untitled');
  return (
    <button
      type="button"
      disabled={isLive}
      onClick={onOpen}
      className="my-3 flex h-16 w-full max-w-md items-center gap-3 rounded-xl border border-line bg-raised px-4 text-start hover:bg-hover disabled:hover:bg-raised"
    >
      <AppWindow aria-hidden className="size-6 shrink-0 text-accent" strokeWidth={1.5} />
      <span className="min-w-0 flex-1">
        <bdi className="block truncate font-medium">{isLive && title === '' ? t('artifact.writing') : name}</bdi>
        <span className="block truncate text-xs text-ink-soft">
          {isLive && title !== '' ? t('artifact.writing') : t(`artifact.${kind}`)}
        </span>
      </span>
      {!isLive && <span className="text-sm font-medium text-accent">{t('artifact.open')}</span>}
    </button>
  );
}
