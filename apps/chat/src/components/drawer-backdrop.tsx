import { useChatTexts } from '../text/use-chat-texts.ts';

/** The backdrop of a drawer: a press closes the drawer. */
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
