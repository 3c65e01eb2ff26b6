import { Link } from '@tanstack/react-router';
import { useRights } from '../api/use-rights.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';
import { allowedItems } from './nav-items.ts';

/** The navigation. Marks the current page visibly and for screen readers. */
export function Navigation({ onGo }: { onGo(): void }) {
  const { t } = useConsoleTexts();
  const rights = useRights();
  return (
    <nav aria-label={t('shell.nav')} className="flex flex-col gap-0.5">
      {allowedItems(rights).map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          onClick={onGo}
          activeProps={{ className: 'bg-hover font-medium text-ink' }}
          inactiveProps={{ className: 'text-ink-soft' }}
          className="flex h-8 items-center gap-2.5 rounded-md px-2 hover:bg-hover hover:text-ink max-md:h-10"
        >
          <Icon aria-hidden className="size-4" />
          {t(label)}
        </Link>
      ))}
    </nav>
  );
}
