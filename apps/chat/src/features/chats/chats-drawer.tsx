import { type ReactNode, useRef } from 'react';
import { DrawerBackdrop } from '../../components/drawer-backdrop.tsx';
import { useDrawer } from '../../components/use-drawer.ts';
import { NARROW, useMediaQuery } from '../../components/use-media-query.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

export interface ChatsDrawerProps {
  readonly isOpen: boolean;
  onClose(): void;
  readonly children: ReactNode;
}

/** A pane beside the conversation; on a phone, a drawer over it. */
export function ChatsDrawer({ isOpen, onClose, children }: ChatsDrawerProps) {
  const { t } = useChatTexts();
  const isDrawer = useMediaQuery(NARROW.list);
  const isModal = isDrawer && isOpen;
  const pane = useRef<HTMLDivElement>(null);
  useDrawer(pane, isModal, isModal);
  return (
    <>
      <div
        ref={pane}
        id="chats"
        tabIndex={-1}
        role={isModal ? 'dialog' : 'complementary'}
        {...(isModal && { 'aria-modal': true, 'aria-label': t('page.menu') })}
        className={`flex w-64 shrink-0 flex-col border-e border-line bg-sunken pt-[env(safe-area-inset-top)] pb-[env(safe-area-inset-bottom)] outline-none max-md:fixed max-md:inset-y-0 max-md:start-0 max-md:z-30 max-md:w-[min(20rem,85vw)] max-md:shadow-xl ${isOpen ? '' : 'max-md:hidden'}`}
      >
        {children}
      </div>
      {isModal && <DrawerBackdrop onClose={onClose} />}
    </>
  );
}
