import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { ScrollBox } from './scroll-box.tsx';

export interface CodeViewProps {
  readonly code: string;
  readonly language?: string | undefined;
  /** True while it grows: its colours come when it is whole. */
  readonly isLive?: boolean;
}

/** Longer code stays plain: colouring it would hold the page up. */
const COLOURED_CHARACTERS = 12_000;
const COPIED_MS = 2_000;

/** Code as it is, with its language and a button that copies it. */
export function CodeView({ code: given, language = '', isLive = false }: CodeViewProps) {
  const { t } = useChatTexts();
  const [isCopied, setCopied] = useState(false);
  const code = given.replace(/\n$/, '');
  const coloured = useColoured(code, language, isLive || code.length > COLOURED_CHARACTERS);
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  const isDiagram = language.toLowerCase() === 'mermaid';
  const Icon = isCopied ? Check : Copy;
  return (
    <figure className="my-3 overflow-hidden rounded-lg border border-line bg-sunken" dir="ltr">
      <figcaption className="flex items-center justify-between gap-2 border-b border-line ps-3 pe-1 text-xs text-ink-soft">
        <span className="truncate font-mono">{isDiagram ? t('part.diagram') : language || t('part.code')}</span>
        <button
          type="button"
          className="inline-flex h-8 items-center gap-1.5 rounded px-2 hover:bg-hover hover:text-ink"
          onClick={() => void copy()}
        >
          <Icon aria-hidden className="size-3.5" />
          {isCopied ? t('message.copied') : t('message.copy')}
        </button>
      </figcaption>
      <ScrollBox label={language || t('part.code')} className="p-3">
        <pre className="font-mono text-[0.8125rem] leading-5">
          <code>{coloured ?? code}</code>
        </pre>
      </ScrollBox>
    </figure>
  );
}

/** The code in colours once they are there; undefined before, and for a language that is not known. */
function useColoured(code: string, language: string, isPlain: boolean): ReactNode {
  const [coloured, setColoured] = useState<{ readonly of: string; readonly nodes: ReactNode } | undefined>();
  useEffect(() => {
    if (isPlain || language === '') return;
    let isLeft = false;
    import('./colour-code.tsx').then(
      ({ colourCode }) => !isLeft && setColoured({ of: code, nodes: colourCode(code, language) }),
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, [code, language, isPlain]);
  return coloured?.of === code ? coloured.nodes : undefined;
}
