import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { useTell } from './toasts.tsx';

/** Returns a function that copies a text and says so in a toast. */
export function useCopy(): (text: string) => Promise<void> {
  const { t } = useTexts<PartMessages>();
  const tell = useTell();
  return async (text) => {
    await navigator.clipboard.writeText(text);
    tell(t('parts.copied'));
  };
}
