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

/** Pages for people who aren't signed in. */
const OPEN_PAGES: readonly string[] = ['/first-run', '/join', '/sign-in-problem', '/signed-in'];

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
