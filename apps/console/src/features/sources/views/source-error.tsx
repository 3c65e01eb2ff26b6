import { ErrorNote } from '@berth/ui';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { SourceRefusal } from '../state/source-refusal.ts';

/** Says why what was dropped or chosen can't be deployed, or what the browser reported about it. */
export function SourceError({ error }: { readonly error: unknown }) {
  const { t } = useConsoleTexts();
  return <ErrorNote error={error instanceof SourceRefusal ? t(error.key, error.values) : error} />;
}
