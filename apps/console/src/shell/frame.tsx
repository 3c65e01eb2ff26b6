import { BerthError } from '@berth/kit';
import { Button, CommandScope, IconButton, type Shortcuts, useShortcuts } from '@berth/ui';
import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { CloudOff, Menu as MenuIcon, Search, X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useRights } from '../api/use-rights.ts';
import { LookMenus } from '../components/look-menus.tsx';
import { DeployHost } from '../features/deploys/views/deploy-host.tsx';
import { useUploadQueue } from '../features/volumes/uploads/state/upload-queue-context.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { allowedItems, NAV_GROUPS, NAV_ITEMS } from './nav-items.ts';

const loadPalette = async () => ({ default: (await import('./console-palette.tsx')).ConsolePalette });
const ConsolePalette = lazy(loadPalette);

/** The layout around every page: navigation at the side (above on phones), command palette, account menu. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const { t } = useConsoleTexts();
  const navigate = useNavigate();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  // Letters typed after Ctrl K and before the palette's code has loaded.
  const typed = useRef('');
  useEffect(() => {
    if (!isPaletteOpen) return;
    const keep = (event: KeyboardEvent) => {
      if (document.querySelector('[data-palette]') || event.key.length !== 1 || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      typed.current += event.key;
    };
    addEventListener('keydown', keep, true);
    return () => {
      removeEventListener('keydown', keep, true);
      // The next palette reads the letters while it renders.
      typed.current = '';
    };
  }, [isPaletteOpen]);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const isFetching = useIsFetching() > 0;
  const shortcuts = useMemo<Shortcuts>(
    () => ({
      'mod+k': () => setPaletteOpen(true),
      ...Object.fromEntries(NAV_ITEMS.map(({ keys, to }) => [keys, () => void navigate({ to })])),
    }),
    [navigate],
  );
  useShortcuts(shortcuts);
  return (
    <div className="min-h-dvh max-md:flex max-md:flex-col md:grid md:grid-cols-[13rem_minmax(0,1fr)]">
      <a href="#content" className="pop sr-only z-50 p-3 focus:not-sr-only focus:fixed focus:start-2 focus:top-2">
        {t('shell.skip')}
      </a>
      <header className="sticky top-0 z-20 flex flex-col gap-3 border-line bg-sunken p-3 max-md:border-b md:h-dvh md:border-e">
        <div className="flex items-center gap-2">
          <img src="/icon.svg" alt="" className="size-6" />
          <span className="flex-1 text-base font-semibold">Berth</span>
          <span className="md:hidden">
            <IconButton icon={Search} label={t('shell.search')} onClick={() => setPaletteOpen(true)} />
            <IconButton
              icon={isMenuOpen ? X : MenuIcon}
              label={t('shell.menu')}
              aria-expanded={isMenuOpen}
              onClick={() => setMenuOpen(!isMenuOpen)}
            />
          </span>
        </div>
        <div className={isMenuOpen ? 'contents' : 'contents max-md:hidden'}>
          <Button icon={Search} className="justify-start px-2 max-md:hidden" onClick={() => setPaletteOpen(true)}>
            <span className="min-w-0 truncate">{t('shell.search')}</span>
            <kbd dir="ltr" className="ms-auto shrink-0 font-mono text-xs text-ink-soft">
              {navigator.platform.startsWith('Mac') ? '⌘ K' : 'Ctrl K'}
            </kbd>
          </Button>
          <Navigation onGo={() => setMenuOpen(false)} />
          <div className="mt-auto flex flex-wrap items-center gap-1">
            <AccountMenu onGo={() => setMenuOpen(false)} />
            <LookMenus />
          </div>
        </div>
      </header>
      <main
        id="content"
        tabIndex={-1}
        aria-busy={isFetching}
        className="mx-auto flex w-full max-w-6xl flex-1 flex-col p-4 outline-none md:p-8"
      >
        <OfflineNote />
        <CommandScope>
          <DeployHost aside={<UploadHost />}>
            {children}
            <Suspense>
              {isPaletteOpen && <ConsolePalette isOpen onOpenChange={setPaletteOpen} takeTyped={() => typed.current} />}
            </Suspense>
          </DeployHost>
        </CommandScope>
      </main>
    </div>
  );
}

/** The navigation. Marks the current page visibly and for screen readers. */
function Navigation({ onGo }: { onGo(): void }) {
  const { t } = useConsoleTexts();
  const rights = useRights();
  return (
    <nav aria-label={t('shell.nav')} className="flex flex-col gap-3">
      {NAV_GROUPS.map((group) => (
        <ul key={group} aria-label={t(group)} className="flex flex-col gap-0.5">
          <li aria-hidden className="px-2 pb-0.5 text-xs text-ink-soft">
            {t(group)}
          </li>
          {allowedItems(rights)
            .filter((item) => item.group === group)
            .map(({ to, label, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  onClick={onGo}
                  activeProps={{ className: 'bg-hover font-medium text-ink' }}
                  inactiveProps={{ className: 'text-ink-soft' }}
                  className="flex h-8 items-center gap-2.5 rounded-md px-2 hover:bg-hover hover:text-ink max-md:h-11"
                >
                  <Icon aria-hidden className="size-4 shrink-0" />
                  {t(label)}
                </Link>
              </li>
            ))}
        </ul>
      ))}
    </nav>
  );
}

/** Says that the platform is unreachable while any query fails for that reason. */
function OfflineNote() {
  const { t } = useConsoleTexts();
  const cache = useQueryClient().getQueryCache();
  const isAway = useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () => cache.getAll().some(({ state }) => BerthError.is(state.error, 'unavailable')),
  );
  return (
    <div role="status">
      {isAway && (
        <p className="mb-4 flex items-center gap-2 rounded-md bg-warn-soft px-3 py-2">
          <CloudOff aria-hidden className="size-4 shrink-0 text-warn" />
          {t('shell.offline')}
        </p>
      )}
    </div>
  );
}

const UploadTray = lazy(async () => ({
  default: (await import('../features/volumes/uploads/views/upload-tray.tsx')).UploadTray,
}));

/** Loads the upload tray on demand. It is mounted outside the pages, so that uploads continue during navigation. */
function UploadHost() {
  const uploads = useUploadQueue();
  const hasUploads = useSyncExternalStore(uploads.subscribe, () => uploads.state !== undefined);
  return <Suspense>{hasUploads && <UploadTray />}</Suspense>;
}
