import type { FileEntry } from '@berth/contract/agent';
import { useTell } from '@berth/ui';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useOpenChat } from '../conversation/state/open-chat-context.ts';

/** Returns a function that attaches a workspace file to the message being written. */
export function useAttach(): (entry: Pick<FileEntry, 'name' | 'path' | 'size'>) => void {
  const { t } = useChatTexts();
  const { uploads } = useOpenChat();
  const tell = useTell();
  return (entry) => {
    uploads.attach(entry);
    tell(t('files.attached', { name: entry.name }));
  };
}
