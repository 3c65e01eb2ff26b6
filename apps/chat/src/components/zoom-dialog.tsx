import { Dialog } from '@base-ui/react/dialog';
import { IconButton } from '@berth/ui';
import { Maximize, X, ZoomIn, ZoomOut } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useChatTexts } from '../text/use-chat-texts.ts';

export interface ZoomDialogProps {
  readonly title: string;
  readonly src: string;
  /** Size of the image, in CSS pixels. */
  readonly size: { readonly width: number; readonly height: number };
  onClose(): void;
}

const STEP = 1.25;
const LIMITS = { least: 0.05, most: 8 } as const;

/** A full-page image viewer. Zooms with buttons or `+`, `-` and `0`; scrolling moves the image. */
export function ZoomDialog({ title, src, size, onClose }: ZoomDialogProps) {
  const { t, formats } = useChatTexts();
  const box = useRef<HTMLDivElement>(null);
  /** Zoom factor; undefined fits the image to the window without enlarging it. */
  const [scale, setScale] = useState<number | undefined>();
  const fitting = () => {
    const { clientWidth = size.width, clientHeight = size.height } = box.current ?? {};
    return Math.min(1, clientWidth / size.width, clientHeight / size.height);
  };
  const zoom = (factor: number) =>
    setScale((before) => Math.min(LIMITS.most, Math.max(LIMITS.least, (before ?? fitting()) * factor)));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === '+' || event.key === '=') zoom(STEP);
    else if (event.key === '-') zoom(1 / STEP);
    else if (event.key === '0') setScale(undefined);
    else return;
    event.preventDefault();
  };
  const isFitted = scale === undefined;
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Portal>
        <Dialog.Popup className="fixed inset-0 z-50 flex flex-col bg-ground" onKeyDown={onKeyDown}>
          <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2">
            <Dialog.Title dir="auto" className="from-start min-w-0 flex-1 truncate px-2 font-semibold">
              {title}
            </Dialog.Title>
            <IconButton icon={ZoomOut} label={t('part.smaller')} onClick={() => zoom(1 / STEP)} />
            <span className="w-12 text-center text-xs text-ink-soft tabular-nums" aria-live="polite">
              {isFitted ? '' : formats.number(scale, { style: 'percent' })}
            </span>
            <IconButton icon={ZoomIn} label={t('part.larger')} onClick={() => zoom(STEP)} />
            <IconButton icon={Maximize} label={t('part.fit')} onClick={() => setScale(undefined)} />
            <IconButton icon={X} label={t('parts.close')} onClick={onClose} />
          </header>
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
          <div
            ref={box}
            role="group"
            aria-label={title}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
            tabIndex={0}
            dir="ltr"
            className="flex min-h-0 flex-1 overflow-auto p-4"
          >
            <img
              src={src}
              alt={title}
              className={`m-auto ${isFitted ? 'max-h-full max-w-full' : 'max-w-none shrink-0'}`}
              {...(isFitted ? { width: size.width } : { style: { width: size.width * scale } })}
            />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
