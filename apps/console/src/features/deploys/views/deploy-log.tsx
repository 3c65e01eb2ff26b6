import { classNames } from '@berth/ui';
import { useLayoutEffect, useRef } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

export interface DeployLogProps {
  /** Grows in place. */
  readonly lines: readonly string[];
  readonly lineCount: number;
  /** Nothing is added any more: it need be no higher than it is long. */
  readonly isComplete?: boolean;
}

/** More would make each new line slow; `berth follow` shows them all. */
const SHOWN_LINES = 500;
/** Colours and cursor moves of terminals. Source: ECMA-48, CSI sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with
const CONTROLS = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** What the build printed. It stays at its end until somebody scrolls up. */
export function DeployLog({ lines, lineCount, isComplete = false }: DeployLogProps) {
  const { t } = useConsoleTexts();
  const boxRef = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  const left = Math.max(0, lineCount - SHOWN_LINES);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line is what it is for
  useLayoutEffect(() => {
    const box = boxRef.current;
    if (box && isAtEnd.current) box.scrollTop = box.scrollHeight;
  }, [lineCount]);
  return (
    <>
      {left > 0 && <p className="text-ink-soft text-xs">{t('deploy.earlier', { count: left })}</p>}
      <pre
        ref={boxRef}
        dir="ltr"
        role="log"
        aria-label={t('deploy.log')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with the keyboard
        tabIndex={0}
        onScroll={({ currentTarget: box }) => {
          isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 24;
        }}
        className={classNames(
          'shrink-0 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs',
          isComplete ? 'max-h-96' : 'h-44',
        )}
      >
        {lines.slice(left, lineCount).join('\n').replaceAll(CONTROLS, '')}
      </pre>
    </>
  );
}
