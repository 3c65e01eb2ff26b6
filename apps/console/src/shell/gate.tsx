import { BerthError } from '@berth/kit';
import { Button, buttonClass, Dialog, EmptyState } from '@berth/ui';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { CloudOff, Lock, UserX } from 'lucide-react';
import { useEffect } from 'react';
import { useConsole, useSessionState } from '../api/console-context.ts';
import { useRights, useUser } from '../api/use-rights.ts';
import { OtherWays } from '../features/sign-in/other-ways.tsx';
import { SignInForm } from '../features/sign-in/sign-in-form.tsx';
import { SignInPage } from '../features/sign-in/sign-in-page.tsx';
import { useConsoleTexts } from '../text/use-console-texts.ts';
import { Frame } from './frame.tsx';
import { NAV_ITEMS, type NavItem } from './nav-items.ts';

/** Pages for people who aren't signed in. */
const OPEN_PAGES: readonly string[] = [
  '/first-run',
  '/join',
  '/reset-password',
  '/confirm-email',
  '/sign-in-problem',
  '/signed-in',
];

/** Shows the page to people who are signed in, and the sign-in at the same address to others. */
export function Gate() {
  const state = useSessionState();
  const { personId } = useConsole().session;
  const { pathname } = useLocation();
  if (state === 'unknown' || state === 'unreachable') return <UnreachablePage />;
  if (OPEN_PAGES.includes(pathname)) return <Outlet />;
  if (state === 'signed-out') return <SignInPage />;
  return (
    // The key remounts everything when another person signs in, so nothing of the previous one is left.
    <Frame key={personId}>
      <AllowedPage pathname={pathname} />
      <SignInAgain isOpen={state === 'expired'} />
    </Frame>
  );
}

function AllowedPage({ pathname }: { readonly pathname: string }) {
  const { can } = useRights();
  const { error } = useUser();
  if (BerthError.is(error, 'forbidden')) return <NoAccountPage />;
  const item: NavItem | undefined = NAV_ITEMS.find(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  return item?.scope === undefined || can(item.scope) ? <Outlet /> : <NotAllowedPage />;
}

/** Shown to people without any account: they can do nothing until they are invited. */
function NoAccountPage() {
  const { t } = useConsoleTexts();
  const { session } = useConsole();
  return (
    <EmptyState isPage icon={UserX} title={t('rights.none.title')} text={t('rights.none.text')}>
      <Button onClick={() => void session.signOut()}>{t('shell.signOut')}</Button>
    </EmptyState>
  );
}

/** Replaces a page that the person's role may not use: the server would refuse all of its calls. */
function NotAllowedPage() {
  const { t } = useConsoleTexts();
  const { data } = useUser();
  const text = t('rights.text', {
    account: data?.account.name ?? '',
    role: t(`people.role.${data?.role ?? 'member'}`),
  });
  return (
    <EmptyState isPage icon={Lock} title={t('rights.title')} text={text}>
      <Link to="/deployments" className={buttonClass()}>
        {t('shell.home')}
      </Link>
    </EmptyState>
  );
}

const ASK_MS = 3_000;

/** Shown while the platform is unreachable. It retries until the platform answers. */
function UnreachablePage() {
  const { t } = useConsoleTexts();
  const { session } = useConsole();
  useEffect(() => {
    const asking = setInterval(() => void session.check(), ASK_MS);
    return () => clearInterval(asking);
  }, [session]);
  return (
    <main>
      <EmptyState isPage icon={CloudOff} title="Berth" text={t('shell.offline')} />
    </main>
  );
}

/** The sign-in dialog for a session that expired. The page below keeps everything that was typed. */
function SignInAgain({ isOpen }: { readonly isOpen: boolean }) {
  const { t } = useConsoleTexts();
  return (
    <Dialog
      title={t('signIn.again.title')}
      description={t('signIn.again.text')}
      isOpen={isOpen}
      canClose={false}
      onClose={() => {}}
    >
      <SignInForm />
      <OtherWays isAside />
    </Dialog>
  );
}
