import { WrapText } from 'lucide-react';
import { memo, type ReactNode, startTransition, useEffect, useState } from 'react';
import { CodeAction, CodeFrame } from '../../components/code-frame.tsx';
import { ScrollBox } from '../../components/scroll-box.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { splitLines } from './split-lines.ts';

export interface CodeViewProps {
  readonly code: string;
  readonly language?: string | undefined;
  /** True while the code grows; it is highlighted once complete. */
  readonly isLive?: boolean;
}

/** Maximum number of characters to highlight; highlighting longer code would block the page. */
const COLOURED_CHARACTERS = 12_000;
/** Languages without line numbers: commands and plain text. The language decides, so that growing code does not move. */
const UNNUMBERED: ReadonlySet<string> = new Set([
  ...['', 'text', 'txt', 'plain', 'plaintext', 'output', 'log', 'bash', 'sh', 'shell', 'zsh', 'console', 'powershell'],
]);

/** A code block with its language, line numbers, syntax highlighting, and buttons to wrap and copy it. */
export function CodeView({ code: given, language = '', isLive = false }: CodeViewProps) {
  const { t } = useChatTexts();
  const [isWrapped, setWrapped] = useState(false);
  const code = given.replace(/\n$/, '');
  const coloured = useColoured(code, language, isLive || code.length > COLOURED_CHARACTERS);
  const pieces = splitLines(code);
  const lines = pieces.reduce((sum, piece) => sum + piece.lines, 0);
  return (
    <CodeFrame
      title={language || t('part.code')}
      text={code}
      actions={
        <CodeAction icon={WrapText} label={t('part.wrap')} isOn={isWrapped} onClick={() => setWrapped(!isWrapped)} />
      }
    >
      <ScrollBox label={language || t('part.code')} className="flex font-mono text-[0.8125rem] leading-5">
        {/* Numbers would not line up with wrapped lines. */}
        {!UNNUMBERED.has(language.toLowerCase()) && !isWrapped && (
          <pre
            aria-hidden
            className="sticky start-0 h-fit min-w-[6ch] min-h-full bg-sunken py-3 ps-3 pe-2 text-end text-ink-soft select-none"
          >
            <Numbers count={lines} />
          </pre>
        )}
        <pre className={`min-w-0 flex-1 p-3 ${isWrapped ? 'whitespace-pre-wrap wrap-anywhere' : ''}`}>
          <code>
            {coloured ??
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no ID and never change places
              pieces.map(({ text }, index) => <Piece key={index} text={text} />)}
          </code>
        </pre>
      </ScrollBox>
    </CodeFrame>
  );
}

/** A piece of finished lines, so that growing code is laid out at its end only. */
const Piece = memo(function Piece({ text }: { readonly text: string }) {
  return <span className="block">{text}</span>;
});

const Numbers = memo(function Numbers({ count }: { readonly count: number }) {
  return Array.from({ length: count }, (_, index) => index + 1).join('\n');
});

/** Returns the highlighted code; undefined until it is ready and for an unknown language. */
function useColoured(code: string, language: string, isPlain: boolean): ReactNode {
  const [coloured, setColoured] = useState<{ readonly of: string; readonly nodes: ReactNode } | undefined>();
  useEffect(() => {
    if (isPlain || language === '') return;
    let isLeft = false;
    import('./colour-code.tsx').then(
      ({ colourCode }) =>
        whenIdle(() => {
          if (isLeft) return;
          const nodes = colourCode(code, language);
          startTransition(() => setColoured({ of: code, nodes }));
        }),
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, [code, language, isPlain]);
  return coloured?.of === code ? coloured.nodes : undefined;
}

/** Maximum wait for an idle moment before highlighting. */
const LATEST_MS = 1_000;

/** Runs `work` when the browser is idle; soon after, in Safari, which has no idle callbacks. */
function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: LATEST_MS });
  else setTimeout(work, 0);
}
