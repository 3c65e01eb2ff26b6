import { classNames } from '@berth/ui';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { SqlProblem } from '../state/sql-problem.ts';
import { createEditor, type Editor } from './create-editor.ts';

/** Imperative handle of the SQL editor. */
export interface SqlEditorHandle {
  /** Replaces the selection, with a space before it where words would join, and focuses the editor. */
  insert(text: string): void;
}

interface SqlEditorProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
  /** Called with the text on Ctrl+Enter or ⌘+Enter; `value` may still be an earlier text. */
  onSubmit(value: string): void;
  readonly problem: SqlProblem | undefined;
  readonly placeholder: string;
  readonly hint: string;
  readonly handle: Ref<SqlEditorHandle>;
}

/** SQL editor with highlighting and completion; underlines the problem. Written left to right in every language. */
export function SqlEditor(props: SqlEditorProps) {
  const { label, value, onChange, onSubmit, problem, placeholder, hint, handle } = props;
  const { t, formats } = useConsoleTexts();
  const hostRef = useRef<HTMLDivElement>(null);
  const editorRef = useRef<Editor>(undefined);
  // Texts that the editor reported and that have not come back as `value` yet.
  const reported = useRef<string[]>([]);
  const latest = useRef(props);
  latest.current = { ...props, onChange, onSubmit };
  const at = problem?.at === undefined ? undefined : Math.min(problem.at, value.length);
  const about = problem
    ? at === undefined
      ? problem.message
      : t('code.problem', { at: formats.number(at + 1), message: problem.message })
    : hint;

  useEffect(() => {
    if (!hostRef.current) return;
    const editor = createEditor(hostRef.current, {
      value: latest.current.value,
      placeholder,
      completionsLabel: t('code.completions'),
      onChange(text) {
        reported.current.push(text);
        latest.current.onChange(text);
      },
      onSubmit: (text) => latest.current.onSubmit(text),
    });
    editorRef.current = editor;
    return () => editor.close();
  }, [placeholder, t]);
  useEffect(() => {
    const at = reported.current.indexOf(value);
    reported.current = at < 0 ? [] : reported.current.slice(at + 1);
    // A reported text may come back after more was typed. Setting it would undo those letters.
    if (at < 0) editorRef.current?.setValue(value);
  }, [value]);
  const hasProblem = problem !== undefined;
  useEffect(
    () => editorRef.current?.describe({ label, about, problemAt: at, hasProblem }),
    [label, about, at, hasProblem],
  );
  useImperativeHandle(handle, () => ({ insert: (text) => editorRef.current?.insert(text) }));

  return (
    <div className="min-w-0">
      <div
        ref={hostRef}
        dir="ltr"
        className={classNames(
          'rounded-md border bg-raised font-mono focus-within:outline-2 focus-within:outline-accent',
          problem ? 'border-bad' : 'border-line-strong',
        )}
      />
      <p className={classNames('mt-1 text-xs', problem ? 'text-bad' : 'text-ink-soft')} dir="auto">
        {problem ? <span role="alert">{about}</span> : hint}
      </p>
    </div>
  );
}
