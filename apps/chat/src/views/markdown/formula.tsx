import { useEffect, useRef, useState } from 'react';

export interface FormulaProps {
  /** TeX. */
  readonly tex: string;
  readonly isBlock: boolean;
}

/** A formula as MathML, which browsers draw and screen readers read; its source until then, and where it is wrong. */
export function Formula({ tex, isBlock }: FormulaProps) {
  const place = useRef<HTMLSpanElement>(null);
  const [shown, setShown] = useState<string | undefined>();
  useEffect(() => {
    let isLeft = false;
    import('katex').then(
      ({ default: katex }) => {
        if (isLeft || !place.current) return;
        try {
          // Not trusted: \href, \url and \includegraphics stay text.
          const options = { output: 'mathml', trust: false, strict: 'ignore', maxExpand: 200, maxSize: 20 } as const;
          katex.render(tex, place.current, { ...options, displayMode: isBlock, throwOnError: true });
          setShown(tex);
        } catch {
          place.current.replaceChildren();
        }
      },
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, [tex, isBlock]);
  const isShown = shown === tex;
  return (
    <span dir="ltr" className={isBlock ? 'my-3 block overflow-x-auto text-center' : undefined}>
      {!isShown && <code className="font-mono text-[0.9em]">{tex}</code>}
      <span ref={place} hidden={!isShown} />
    </span>
  );
}
