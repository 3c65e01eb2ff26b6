import { EmptyState, quote } from '@berth/ui';
import { FolderOpen } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Empty state of a folder, with the command that uploads into it. */
export function NoFiles({ volume, folder }: { readonly volume: string; readonly folder: string }) {
  const { t } = useConsoleTexts();
  const target = folder === '' ? '' : ` ${quote(folder.slice(0, -1))}`;
  return (
    <EmptyState
      icon={FolderOpen}
      title={t('files.empty.title')}
      text={t('files.empty.text')}
      command={`npx berth volume put ${quote(volume)} ./photos${target}`}
    />
  );
}
