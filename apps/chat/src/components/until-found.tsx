import { useLayoutEffect, useRef } from 'react';

export interface UntilFoundProps {
  readonly text: string;
  /** The browser has found what somebody searches the page for, and is about to show it. */
  onFound(): void;
}

/** The words of what is not drawn: unseen and unsaid, until the browser's own search finds something in them, or prints them. */
export function UntilFound({ text, onFound }: UntilFoundProps) {
  const words = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = words.current;
    if (!element) return;
    // React knows the attribute as a truth alone.
    element.setAttribute('hidden', 'until-found');
    element.addEventListener('beforematch', onFound);
    return () => element.removeEventListener('beforematch', onFound);
  }, [onFound]);
  return (
    <div ref={words} dir="auto" className="whitespace-pre-wrap print:[content-visibility:visible]">
      {text}
    </div>
  );
}
