import katex from 'katex';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

export interface FormulaMathmlProps {
  /** The TeX source. */
  readonly tex: string;
  readonly isBlock: boolean;
  /** Shown in place of an invalid formula. */
  readonly source: ReactNode;
}

/** A formula as MathML, which browsers render and screen readers read. */
export function FormulaMathml({ tex, isBlock, source }: FormulaMathmlProps) {
  const place = useRef<HTMLSpanElement>(null);
  const [isWrong, setWrong] = useState(false);
  useLayoutEffect(() => {
    if (!place.current) return;
    try {
      // The source is not trusted: \href, \url and \includegraphics stay text.
      const options = { output: 'mathml', trust: false, strict: 'ignore', maxExpand: 200, maxSize: 20 } as const;
      katex.render(tex, place.current, { ...options, displayMode: isBlock, throwOnError: true });
      setWrong(false);
    } catch {
      place.current.replaceChildren();
      setWrong(true);
    }
  }, [tex, isBlock]);
  return (
    <>
      {isWrong && source}
      <span ref={place} hidden={isWrong} />
    </>
  );
}
