import { buttonClass, classNames } from '@berth/ui';
import { FileArchive, FolderUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { readPicked } from '../state/read-drop.ts';
import type { Source } from '../state/source-node.ts';
import { useChooseText } from './use-choose-text.ts';

/** Buttons that choose a folder or an archive in the browser's file dialog. */
export function SourcePicker({ onSource }: { onSource(source: Promise<Source>): void }) {
  const { t } = useConsoleTexts();
  const take = (files: FileList | null) => files && files.length > 0 && onSource(readPicked([...files]));
  return (
    <div className="flex flex-col items-center gap-4 rounded-lg border border-line-strong border-dashed bg-sunken px-4 py-10 text-center">
      <FolderUp aria-hidden className="size-7 text-ink-soft" strokeWidth={1.5} />
      <p className="text-ink-soft">{useChooseText()}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Chooser look="primary" onFiles={take} isFolder>
          <FolderUp aria-hidden className="size-4" />
          {t('deploy.chooseFolder')}
        </Chooser>
        <Chooser look="secondary" onFiles={take} accept=".gz,.tgz,application/gzip">
          <FileArchive aria-hidden className="size-4" />
          {t('deploy.chooseArchive')}
        </Chooser>
      </div>
    </div>
  );
}

interface ChooserProps {
  readonly look: 'primary' | 'secondary';
  readonly isFolder?: boolean;
  readonly accept?: string;
  onFiles(files: FileList | null): void;
  readonly children: ReactNode;
}

function Chooser({ look, isFolder = false, accept, onFiles, children }: ChooserProps) {
  return (
    <label
      className={classNames(
        buttonClass(look),
        'cursor-pointer focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-2',
      )}
    >
      {children}
      <input
        type="file"
        className="sr-only"
        accept={accept}
        // React has no boolean form of this attribute.
        {...(isFolder ? { webkitdirectory: '' } : {})}
        onChange={(event) => onFiles(event.target.files)}
      />
    </label>
  );
}
