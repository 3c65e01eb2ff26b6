import type { ChatSummary } from '@berth/contract/agent';
import { Button, Dialog, ErrorNote, Field } from '@berth/ui';
import { type FormEvent, useState } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useChats } from './chats-context.ts';

export interface RenameDialogProps {
  readonly chat: ChatSummary;
  onClose(): void;
}

/** A dialog that renames a chat. */
export function RenameDialog({ chat, onClose }: RenameDialogProps) {
  const { t } = useChatTexts();
  const { list } = useChats();
  const [title, setTitle] = useState(chat.title);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await list.rename(chat.id, title.trim());
      onClose();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Dialog title={t('chats.renameTitle')} isOpen onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <Field label={t('chats.name')} required dir="auto" value={title} onChange={setTitle} />
        {error !== undefined && <ErrorNote error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('parts.cancel')}</Button>
          <Button type="submit" look="primary">
            {t('chats.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
