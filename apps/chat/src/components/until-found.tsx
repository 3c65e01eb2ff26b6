import { useLayoutEffect, useRef } from 'react';

export interface UntilFoundProps {
  readonly text: string;
  /** Called when the browser's find-in-page has found the text and is about to reveal it. */
  onFound(): void;
}

/** Hidden text of content that isn't rendered. The browser's find-in-page reveals it; assistive technology doesn't read it. */
export function UntilFound({ text, onFound }: UntilFoundProps) {
  const words = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = words.current;
    if (!element) return;
    // React knows `hidden` as a boolean only.
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
