import { Button } from '@berth/ui';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import type { Suggestion } from '../state/sql-problem.ts';

/** Props of {@link SuggestionList}. */
export interface SuggestionListProps {
  readonly suggestions: readonly Suggestion[];
  onChoose(suggestion: Suggestion): void;
}

/** Names that the engine suggests in place of an unknown one. */
export function SuggestionList({ suggestions, onChoose }: SuggestionListProps) {
  const { t } = useConsoleTexts();
  if (suggestions.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
      {t('sql.instead')}
      {suggestions.map((suggestion) => (
        <Button key={suggestion.text} onClick={() => onChoose(suggestion)}>
          <code className="font-mono text-xs">{suggestion.text}</code>
        </Button>
      ))}
    </p>
  );
}
