import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Returns the sentence that says how to begin a deploy. Touch screens have nothing to drop. */
export function useChooseText(): string {
  const { t } = useConsoleTexts();
  const isTouch = typeof matchMedia === 'function' && matchMedia('(pointer: coarse)').matches;
  return t(isTouch ? 'deploy.chooseTouch' : 'deploy.choose');
}
