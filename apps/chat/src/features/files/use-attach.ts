import type { FileEntry } from '@berth/contract/agent';
import { useTell } from '@berth/ui';
import { usePage } from '../../page/page-context.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

/** Puts a file of the workspace to the message that is being written. */
export function useAttach(): (entry: Pick<FileEntry, 'name' | 'path' | 'size'>) => void {
  const { t } = useChatTexts();
  const { uploads } = usePage();
  const tell = useTell();
  return (entry) => {
    uploads.attach(entry);
    tell(t('files.attached', { name: entry.name }));
  };
}
