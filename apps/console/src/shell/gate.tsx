import { BerthError } from '@berth/kit';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useConsole, useSessionState } from '../api/console-context.ts';
import { useRights, useUser } from '../api/use-rights.ts';
import { SignInPage } from '../features/sign-in/sign-in-page.tsx';
import { Frame } from './frame.tsx';
import { NAV_ITEMS, type NavItem } from './nav-items.ts';
import { NoAccountPage } from './no-account-page.tsx';
import { NotAllowedPage } from './not-allowed-page.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { UnreachablePage } from './unreachable-page.tsx';

/** Pages of people who are not signed in, or not yet. */
const OPEN_PAGES: readonly string[] = ['/first-run', '/join', '/sign-in-problem', '/signed-in'];

/** Shows the pages to whoever is signed in, and the sign-in to everybody else, at the same address. */
export function Gate() {
  const state = useSessionState();
  const { personId } = useConsole().session;
  const { pathname } = useLocation();
  if (state === 'unknown' || state === 'unreachable') return <UnreachablePage />;
  if (OPEN_PAGES.includes(pathname)) return <Outlet />;
  if (state === 'signed-out') return <SignInPage />;
  return (
    // Whoever signs in after somebody else finds nothing of theirs.
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
