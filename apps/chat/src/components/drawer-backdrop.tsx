import { useChatTexts } from '../text/use-chat-texts.ts';

/** What is beside a drawer: a press there closes it. */
export function DrawerBackdrop({ onClose }: { onClose(): void }) {
  const { t } = useChatTexts();
  return (
    <button
      type="button"
      tabIndex={-1}
      data-beside
      aria-label={t('parts.close')}
      className="fixed inset-0 z-20 bg-black/40"
      onClick={onClose}
    />
  );
}
