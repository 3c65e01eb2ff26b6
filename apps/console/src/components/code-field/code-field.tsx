import { classNames } from '@berth/ui';
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import type { Complete } from './completion.ts';
import { CompletionList } from './completion-list.tsx';
import { useCompletion } from './use-completion.ts';

interface CodeFieldProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
  /** Called on Enter. Shift+Enter starts a new line. */
  onSubmit(): void;
  /** Completes the text. A new function recomputes an open list of completions. */
  readonly complete: Complete;
  /** Called when the caret moves, with the text. */
  onCaret?(text: string, caret: number): void;
  onFocus?(): void;
  /** The problem of the text and its character offset; the offset is undefined where unknown. */
  readonly problem?: { readonly message: string; readonly at: number | undefined } | undefined;
  readonly placeholder?: string;
  readonly hint?: string;
}

/** Class names shared by the text area and its overlay, so that their characters align. */
const TEXT_CLASS =
  'col-start-1 row-start-1 m-0 w-full px-2.5 py-1.5 font-mono text-xs/5 break-words whitespace-pre-wrap max-sm:py-2.5 max-sm:text-base/6';

/** A field for one line of code, such as a filter. Wraps, offers completions, and underlines the problem. */
export function CodeField(props: CodeFieldProps) {
  const { label, value, onChange, onSubmit, complete, onCaret, onFocus, problem, placeholder, hint } = props;
  const { t, formats } = useConsoleTexts();
  const id = useId();
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  const caretRef = useRef<HTMLSpanElement>(null);
  const [caret, setCaret] = useState<number>();
  const completion = useCompletion(fieldRef, complete, (text, at) => {
    onChange(text);
    setCaret(at);
  });
  useLayoutEffect(() => {
    if (caret === undefined) return;
    fieldRef.current?.setSelectionRange(caret, caret);
    setCaret(undefined);
  }, [caret]);

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const isHandled = completion.onKey(event);
    if (isHandled) event.preventDefault();
    else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      completion.close();
      onSubmit();
    }
  };
  const from = completion.open?.from ?? value.length;
  const at = problem?.at === undefined ? undefined : Math.min(problem.at, value.length);
  return (
    <div className="relative min-w-0 flex-1" dir="ltr">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <div
        className={classNames(
          'grid rounded-md border bg-raised focus-within:outline-2 focus-within:outline-accent',
          problem ? 'border-bad' : 'border-line-strong',
        )}
      >
        <div aria-hidden className={classNames(TEXT_CLASS, 'invisible')}>
          {value.slice(0, from)}
          <span ref={caretRef} />
          {value.slice(from)}{' '}
        </div>
        {at !== undefined && (
          <div aria-hidden className={classNames(TEXT_CLASS, 'text-transparent')}>
            {value.slice(0, at)}
            <mark className="bg-bad-soft text-transparent underline decoration-bad decoration-wavy">
              {/^[\w.]+|./.exec(value.slice(at))?.[0] ?? '  '}
            </mark>
            {value.slice(at).replace(/^[\w.]+|^./, '')}
          </div>
        )}
        <textarea
          ref={fieldRef}
          id={id}
          value={value}
          rows={1}
          placeholder={placeholder}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          aria-autocomplete="list"
          aria-controls={completion.open ? `${id}-list` : undefined}
          aria-activedescendant={
            completion.open && completion.open.active >= 0 ? `${id}-${completion.open.active}` : undefined
          }
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-about`}
          onChange={(event) => {
            onChange(event.target.value);
            completion.show(event.target);
            onCaret?.(event.target.value, event.target.selectionStart);
          }}
          onFocus={onFocus}
          onKeyDown={onKeyDown}
          onClick={completion.close}
          onBlur={completion.close}
          className={classNames(
            TEXT_CLASS,
            'resize-none overflow-hidden bg-transparent outline-none placeholder:whitespace-nowrap',
          )}
        />
      </div>
      {completion.open && (
        <CompletionList
          id={id}
          options={completion.open.options}
          active={completion.open.active}
          startPx={caretRef.current?.offsetLeft ?? 0}
          topPx={(caretRef.current?.offsetTop ?? 0) + (caretRef.current?.offsetHeight ?? 0) + 4}
          onChoose={(option) => fieldRef.current && completion.choose(fieldRef.current, option)}
        />
      )}
      <p
        id={`${id}-about`}
        className={classNames(
          'text-xs',
          problem ? 'mt-1 text-bad' : 'text-ink-soft',
          !problem && hint !== undefined && 'mt-1',
        )}
        dir="auto"
      >
        {problem ? <span role="alert">{describeProblem()}</span> : hint}
      </p>
    </div>
  );

  function describeProblem(): string {
    if (!problem) return '';
    if (at === undefined) return problem.message;
    return t('code.problem', { at: formats.number(at + 1), message: problem.message });
  }
}
