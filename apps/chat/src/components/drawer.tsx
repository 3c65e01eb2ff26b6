import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';
import { useChatTexts } from '../text/use-chat-texts.ts';
import { useMediaQuery } from './use-media-query.ts';

export interface DrawerProps {
  readonly id: string;
  readonly label: string;
  /** The media query of the layouts where the pane covers the page as a modal drawer. */
  readonly covers: string;
  /** False for a pane that is hidden there, and stands beside the conversation elsewhere. */
  readonly isOpen: boolean;
  /** True for a pane that takes the focus when it opens, even beside the conversation. */
  readonly takesFocus?: boolean;
  onClose(): void;
  readonly className: string;
  readonly children: ReactNode;
}

/** A pane beside the conversation; on small screens, a drawer over it with a backdrop that closes it. */
export function Drawer(props: DrawerProps) {
  const { id, label, covers, isOpen, takesFocus = false, onClose, className, children } = props;
  const { t } = useChatTexts();
  const isModal = useMediaQuery(covers) && isOpen;
  const isFocused = isModal || (takesFocus && isOpen);
  const pane = useRef<HTMLDivElement>(null);
  const role = {
    ...(isModal ? { role: 'dialog', 'aria-modal': true } : { role: 'complementary' }),
    ...(isFocused && { 'aria-label': label }),
  };
  useFocus(pane, isFocused);
  useModal(pane, isModal);
  return (
    <>
      <div
        ref={pane}
        id={id}
        tabIndex={-1}
        {...role}
        className={`flex shrink-0 flex-col pb-[env(safe-area-inset-bottom)] outline-none ${className}`}
      >
        {children}
      </div>
      {isModal && (
        <button
          type="button"
          tabIndex={-1}
          data-beside
          aria-label={t('parts.close')}
          className="fixed inset-0 z-20 bg-black/40"
          onClick={onClose}
        />
      )}
    </>
  );
}

/** Focuses a pane when it opens, and restores the focus when it closes. */
function useFocus(pane: RefObject<HTMLElement | null>, isFocused: boolean): void {
  useLayoutEffect(() => {
    const node = pane.current;
    if (!isFocused || !node) return;
    const before = document.activeElement;
    node.focus({ preventScroll: true });
    return () => {
      // The siblings must be reachable first. A focus that moved elsewhere meanwhile stays there.
      queueMicrotask(() => {
        const now = document.activeElement;
        const isLeft = now === null || now === document.body || node.contains(now);
        if (isLeft && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
      });
    };
  }, [pane, isFocused]);
}

/** Makes the siblings of a modal pane inert, except elements with `data-beside`, such as its backdrop. */
function useModal(pane: RefObject<HTMLElement | null>, isModal: boolean): void {
  useLayoutEffect(() => {
    const node = pane.current;
    if (!isModal || !node?.parentElement) return;
    const others = [...node.parentElement.children].filter(
      (one): one is HTMLElement =>
        one instanceof HTMLElement && one !== node && !one.inert && !('beside' in one.dataset),
    );
    for (const one of others) one.inert = true;
    return () => {
      for (const one of others) one.inert = false;
    };
  }, [pane, isModal]);
}
