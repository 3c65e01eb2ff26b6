import { useTexts } from '@berth/ui';
import type { ConsoleMessages } from './en/index.ts';

/** The console's texts in the language that is spoken now. */
export function useConsoleTexts(): ReturnType<typeof useTexts<ConsoleMessages>> {
  return useTexts<ConsoleMessages>();
}
