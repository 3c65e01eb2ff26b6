import { useAgent } from '../../api/agent-context.ts';
import { messageOf } from '../../api/message-of.ts';
import { ConnectionLost, FileTooLarge } from '../../api/put-file.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

/** Returns a function that explains to the person why an upload failed. */
export function useUploadError(): (error: unknown) => string {
  const { t } = useChatTexts();
  const { config } = useAgent();
  return (error) => {
    if (error instanceof FileTooLarge) return t('compose.tooLarge', { count: config.max_upload });
    return error instanceof ConnectionLost ? t('files.lost') : messageOf(error);
  };
}
