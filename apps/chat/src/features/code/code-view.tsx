import { WrapText } from 'lucide-react';
import { memo, type ReactNode, startTransition, useEffect, useState } from 'react';
import { CodeAction, CodeFrame } from '../../components/code-frame.tsx';
import { ScrollBox } from '../../components/scroll-box.tsx';
import { useChatTexts } from '../../text/use-chat-texts.ts';

export interface CodeViewProps {
  readonly code: string;
  readonly language?: string | undefined;
  /** True while the code grows; it is highlighted once complete. */
  readonly isLive?: boolean;
}

/** Maximum number of characters to highlight; highlighting longer code would block the page. */
const MAX_HIGHLIGHTED = 12_000;
/** Languages without line numbers: commands and plain text. The language decides, so that growing code does not move. */
const UNNUMBERED: ReadonlySet<string> = new Set([
  ...['', 'text', 'txt', 'plain', 'plaintext', 'output', 'log', 'bash', 'sh', 'shell', 'zsh', 'console', 'powershell'],
]);

/** A code block with its language, line numbers, syntax highlighting, and buttons to wrap and copy it. */
export function CodeView({ code: given, language = '', isLive = false }: CodeViewProps) {
  const { t } = useChatTexts();
  const [isWrapped, setWrapped] = useState(false);
  const code = given.replace(/\n$/, '');
  const highlighted = useHighlighted(code, language, isLive || code.length > MAX_HIGHLIGHTED);
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
            {highlighted ??
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
function useHighlighted(code: string, language: string, isPlain: boolean): ReactNode {
  const [highlighted, setHighlighted] = useState<{ readonly of: string; readonly nodes: ReactNode } | undefined>();
  useEffect(() => {
    if (isPlain || language === '') return;
    let isLeft = false;
    import('./highlight-code.tsx').then(
      ({ highlightCode }) =>
        whenIdle(() => {
          if (isLeft) return;
          const nodes = highlightCode(code, language);
          startTransition(() => setHighlighted({ of: code, nodes }));
        }),
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, [code, language, isPlain]);
  return highlighted?.of === code ? highlighted.nodes : undefined;
}

/** Maximum wait for an idle moment before highlighting. */
const LATEST_MS = 1_000;

/** Runs `work` when the browser is idle; soon after, in Safari, which has no idle callbacks. */
function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: LATEST_MS });
  else setTimeout(work, 0);
}

/** Consecutive lines of a text. */
export interface LinePiece {
  /** The lines without the last line break. */
  readonly text: string;
  readonly lines: number;
}

const LINES = 40;

/** Splits text into pieces of 40 lines. When text grows, all pieces but the last stay the same. */
export function splitLines(text: string): readonly LinePiece[] {
  const pieces: LinePiece[] = [];
  let start = 0;
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (++lines < LINES) continue;
    pieces.push({ text: text.slice(start, at), lines });
    start = at + 1;
    lines = 0;
  }
  return [...pieces, { text: text.slice(start), lines: lines + 1 }];
}
