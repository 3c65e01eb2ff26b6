import { Skeleton } from '@berth/ui';
import { useChatTexts } from '../../text/use-chat-texts.ts';

/** A placeholder while the server converts an office file to pages or slides. */
export function Converting() {
  const { t } = useChatTexts();
  return (
    <>
      <p role="status" className="text-ink-soft">
        {t('files.converting')}
      </p>
      <Skeleton rows={8} />
    </>
  );
}
