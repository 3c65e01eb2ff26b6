import { classNames } from '@berth/ui';
import { useLayoutEffect, useRef } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

interface DeployLogProps {
  /** Output lines; the array grows in place. */
  readonly lines: readonly string[];
  readonly lineCount: number;
  /** True if no more lines follow, so that the box shrinks to its content. */
  readonly isComplete?: boolean;
}

/** Maximum number of lines rendered; more would slow down each new line. `berth follow` prints all of them. */
const SHOWN_LINES = 500;
/** Terminal colors and cursor movement. Source: ECMA-48, CSI sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences begin with this character
const CONTROLS = /\x1b\[[0-?]*[ -/]*[@-~]/g;

/** Output of a build. Follows new lines until the person scrolls up. */
export function DeployLog({ lines, lineCount, isComplete = false }: DeployLogProps) {
  const { t } = useConsoleTexts();
  const boxRef = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  const left = Math.max(0, lineCount - SHOWN_LINES);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line is the trigger
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
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
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
