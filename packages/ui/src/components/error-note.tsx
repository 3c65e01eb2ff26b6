import { CircleAlert } from 'lucide-react';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { Button } from './button.tsx';

export interface ErrorNoteProps {
  readonly error: unknown;
  /** Called by the Retry button, which is shown where a retry can help. */
  readonly onRetry?: (() => void) | undefined;
}

/** An error with the server's own sentence, which says what to do next. */
export function ErrorNote({ error, onRetry }: ErrorNoteProps) {
  const { t } = useTexts<PartMessages>();
  return (
    <div role="alert" className="flex items-start gap-2 rounded-md bg-bad-soft px-3 py-2">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <span className="min-w-0 flex-1 break-words" dir="auto">
        {error instanceof Error ? error.message : String(error)}
      </span>
      {onRetry && <Button onClick={onRetry}>{t('parts.retry')}</Button>}
    </div>
  );
}
