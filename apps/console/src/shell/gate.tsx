import { Outlet, useLocation } from '@tanstack/react-router';
import { useSessionState } from '../state/console-context.ts';
import { SignInPage } from '../views/sign-in/sign-in-page.tsx';
import { Frame } from './frame.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { UnreachablePage } from './unreachable-page.tsx';

/** Shows the pages to whoever is signed in, and the sign-in to everybody else, at the same address. */
export function Gate() {
  const state = useSessionState();
  const { pathname } = useLocation();
  if (state === 'unknown' || state === 'unreachable') return <UnreachablePage />;
  const isOpen = pathname === '/first-run' || pathname === '/join';
  if (isOpen) return <Outlet />;
  if (state === 'signed-out') return <SignInPage />;
  return (
    <Frame>
      <Outlet />
      <SignInAgain isOpen={state === 'expired'} />
    </Frame>
  );
}
