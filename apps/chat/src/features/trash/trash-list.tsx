import type { TrashItem } from '@berth/contract/agent';
import { Button, ConfirmDialog, EmptyState, ErrorNote, IconButton, MiddleText, Skeleton, useTell } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { Trash2, Undo2 } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { messageOf } from '../../api/message-of.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useChats } from '../chats/chats-context.ts';
import { useFiles } from '../files/use-files.ts';
import { createTrash } from './trash.ts';

/** Number of rows shown at first and added by each press of the button below them. */
const STEP = 200;

/** The chats and files deleted in the last 30 days, which can be restored or permanently deleted. */
export function TrashList() {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const { list } = useChats();
  const { browser } = useFiles();
  const trash = useMemo(() => createTrash(api), [api]);
  const { items, problem } = useStore(trash.state);
  const [shown, setShown] = useState(STEP);
  const [doomed, setDoomed] = useState<TrashItem | 'all' | undefined>();
  const [failure, setFailure] = useState<unknown>();
  const tell = useTell();
  useEffect(() => void trash.refresh(), [trash]);
  const restore = async (item: TrashItem) => {
    try {
      const path = await trash.restore(item.id);
      tell(t('trash.restored', { name: item.kind === 'chat' ? item.path : path }));
      if (item.kind === 'chat') await list.refresh();
      else await browser.refresh();
    } catch (error) {
      tell(messageOf(error));
    }
  };
  const destroy = async () => {
    try {
      if (doomed === 'all') await trash.empty();
      else if (doomed) await trash.remove(doomed.id);
      setDoomed(undefined);
    } catch (error) {
      setFailure(error);
    }
  };
  if (problem !== undefined) return <ErrorNote error={problem} onRetry={() => void trash.refresh()} />;
  if (items === undefined) return <Skeleton rows={6} />;
  if (items.length === 0) return <EmptyState icon={Trash2} title={t('trash.empty')} text={t('trash.emptyText')} />;
  return (
    <div className="flex flex-col gap-2 pb-4">
      <Button className="self-end" onClick={() => setDoomed('all')}>
        {t('trash.all')}
      </Button>
      <ul aria-label={t('files.trash')} className="flex flex-col">
        {items.slice(0, shown).map((item) => (
          <TrashRow key={item.id} item={item} onRestore={() => void restore(item)} onDestroy={() => setDoomed(item)} />
        ))}
      </ul>
      {items.length > shown && <Button onClick={() => setShown(shown + STEP)}>{`+${items.length - shown}`}</Button>}
      <ConfirmDialog
        title={doomed === undefined || doomed === 'all' ? t('trash.all') : t('trash.remove', { name: doomed.path })}
        description={doomed === 'all' ? t('trash.allText') : t('trash.removeText')}
        action={t('trash.removeAction')}
        isOpen={doomed !== undefined}
        error={failure}
        onConfirm={() => void destroy()}
        onClose={() => {
          setFailure(undefined);
          setDoomed(undefined);
        }}
      />
    </div>
  );
}

interface TrashRowProps {
  readonly item: TrashItem;
  onRestore(): void;
  onDestroy(): void;
}

function TrashRow({ item: { path, kind, by, deleted_at, reason }, onRestore, onDestroy }: TrashRowProps) {
  const { t, formats } = useChatTexts();
  const when = formats.ago(deleted_at, Date.now());
  return (
    <li className="flex min-h-12 items-center gap-1 rounded-md px-2 hover:bg-hover">
      <div className="min-w-0 flex-1">
        {kind === 'chat' ? (
          <p dir="auto" title={path} className="from-start truncate">
            {t('trash.chat', { name: path || t('chats.untitled') })}
          </p>
        ) : (
          <MiddleText text={path} />
        )}
        <p className="truncate text-xs text-ink-soft" title={reason || undefined}>
          {t(by === 'agent' ? 'trash.by.agent' : 'trash.by.user', { when })}
        </p>
      </div>
      <IconButton icon={Undo2} label={`${t('trash.restore')}: ${path}`} onClick={onRestore} />
      <IconButton icon={Trash2} label={t('trash.remove', { name: path })} onClick={onDestroy} />
    </li>
  );
}
