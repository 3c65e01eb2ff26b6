import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { crumbsOf } from '../state/folder-path.ts';

/** Props of {@link Crumbs}. */
export interface CrumbsProps {
  readonly volume: string;
  readonly folder: string;
}

/** Breadcrumbs from the volume's root to the folder that is shown. */
export function Crumbs({ volume, folder }: CrumbsProps) {
  const { t } = useConsoleTexts();
  const crumbs = [{ name: t('files.root'), path: '' }, ...crumbsOf(folder)];
  return (
    <nav aria-label={t('files.path')} className="mb-2">
      <ol className="flex flex-wrap items-center gap-1 text-ink-soft">
        {crumbs.map(({ name, path }) => (
          <li key={path} className="flex min-w-0 items-center gap-1">
            {path !== '' && <ChevronRight aria-hidden className="size-3.5 shrink-0 rtl:rotate-180" />}
            <Link
              to="/volumes/$volume"
              params={{ volume }}
              search={path === '' ? {} : { path }}
              aria-current={path === folder ? 'page' : undefined}
              className="max-w-60 truncate rounded px-1 py-0.5 hover:bg-hover hover:text-ink aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
