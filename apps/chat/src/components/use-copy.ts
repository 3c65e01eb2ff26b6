import { useTell } from '@berth/ui';
import { messageOf } from '../api/message-of.ts';
import { useChatTexts } from '../text/use-chat-texts.ts';

/** Returns a function that copies text to the clipboard and confirms it with a toast. */
export function useCopy(): (text: string) => void {
  const { t } = useChatTexts();
  const tell = useTell();
  return (text) => {
    navigator.clipboard.writeText(text).then(
      () => tell(t('parts.copied')),
      (error) => tell(messageOf(error)),
    );
  };
}
