import { IconButton } from '@berth/ui';
import { useStore } from '@berth/ui/store';
import { ArrowUp, Clock, Pencil, X } from 'lucide-react';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { useOpenChat } from '../state/open-chat-context.ts';
import type { QueuedMessage } from '../state/tab-storage.ts';

/** The messages that are sent after the answer, each with its actions. */
export function QueueList({ onEdit }: { onEdit(message: QueuedMessage): void }) {
  const { t } = useChatTexts();
  const { queue, conversation } = useOpenChat();
  const messages = useStore(queue.state);
  const { phase } = useStore(conversation.state);
  if (messages.length === 0) return null;
  return (
    <ul aria-label={t('queue.title')} className="mb-2 flex flex-col gap-1">
      {messages.map((message) => {
        const name = message.text || message.attachments.map((one) => one.name).join(', ');
        return (
          <li key={message.id} className="flex items-center gap-1 rounded-lg bg-sunken ps-3 pe-1">
            <Clock aria-hidden className="size-3.5 shrink-0 text-ink-soft" />
            <span dir="auto" title={name} className="from-start min-w-0 flex-1 truncate px-1 py-1.5">
              {name}
            </span>
            {phase === 'idle' && (
              <IconButton
                icon={ArrowUp}
                label={t('queue.send', { name })}
                onClick={() => void queue.send(message.id)}
              />
            )}
            {message.attachments.length === 0 && (
              <IconButton
                icon={Pencil}
                label={t('queue.edit', { name })}
                onClick={() => {
                  queue.take(message.id);
                  onEdit(message);
                }}
              />
            )}
            <IconButton icon={X} label={t('queue.remove', { name })} onClick={() => void queue.take(message.id)} />
          </li>
        );
      })}
    </ul>
  );
}
