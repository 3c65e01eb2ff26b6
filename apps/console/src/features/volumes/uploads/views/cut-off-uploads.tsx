import { Link } from '@tanstack/react-router';
import { useConsoleTexts } from '../../../../text/use-console-texts.ts';
import type { CutOffUpload } from '../state/upload-journal.ts';

/** Notice of uploads that a page reload interrupted, with the folders where to drop the files again. */
export function CutOffUploads({ uploads }: { readonly uploads: readonly CutOffUpload[] }) {
  const { t } = useConsoleTexts();
  return (
    <div className="flex flex-col gap-2">
      <p className="text-xs text-ink-soft">{t('uploads.cutOff.text')}</p>
      <ul className="flex flex-col gap-1 text-xs">
        {uploads.map(({ volume, folder, names }) => (
          <li key={`${volume}/${folder}${names[0]}`} className="flex min-w-0 gap-2">
            <bdi className="min-w-0 flex-1 truncate" title={names.join(', ')}>
              {names.join(', ')}
            </bdi>
            <Link
              to="/volumes/$volume"
              params={{ volume }}
              search={folder === '' ? {} : { path: folder }}
              className="max-w-1/2 shrink-0 truncate text-accent hover:underline"
            >
              <bdi>{`${volume}/${folder}`}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
