import { buttonClass, EmptyState, ErrorNote } from '@berth/ui';
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import type { ReactNode } from 'react';
import { readDeploymentSearch } from '../features/deployments/deployment-tabs.ts';
import { readFolder } from '../features/volumes/state/folder-path.ts';
import { useConsoleTexts } from '../text/use-console-texts.ts';
import { Gate } from './gate.tsx';

const root = createRootRoute({ component: Gate, notFoundComponent: MissingPage });
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/deployments' });
  },
});
const deployment = createRoute({
  getParentRoute: () => root,
  path: '/deployments/$name',
  validateSearch: readDeploymentSearch,
  component: lazyRouteComponent(() => import('../features/deployments/deployment-page.tsx'), 'DeploymentPage'),
});
const volume = createRoute({
  getParentRoute: () => root,
  path: '/volumes/$volume',
  validateSearch: readFolder,
  component: lazyRouteComponent(() => import('../features/volumes/views/volume-page.tsx'), 'VolumePage'),
});

/** Returns the route of a page whose address has no parameters. */
function page<const Path extends string>(path: Path, load: () => Promise<() => ReactNode>) {
  const component = lazyRouteComponent(async () => ({ default: await load() }));
  return createRoute({ getParentRoute: () => root, path, component });
}

/** The routes of the console. The code of each page is loaded on its first visit. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    deployment,
    volume,
    page('/first-run', async () => (await import('../features/sign-in/first-run-page.tsx')).FirstRunPage),
    page('/deployments', async () => (await import('../features/deployments/deployments-page.tsx')).DeploymentsPage),
    page('/volumes', async () => (await import('../features/volumes/views/volumes-page.tsx')).VolumesPage),
    page('/billing', async () => (await import('../features/billing/views/billing-page.tsx')).BillingPage),
    page(
      '/variables',
      async () => (await import('../features/environment/shared-variables-page.tsx')).SharedVariablesPage,
    ),
    page('/alerts', async () => (await import('../features/alerts/alerts-page.tsx')).AlertsPage),
    page('/keys', async () => (await import('../features/keys/keys-page.tsx')).KeysPage),
    page('/audit', async () => (await import('../features/audit/audit-page.tsx')).AuditPage),
    page('/logs', async () => (await import('../features/logs/views/logs-page.tsx')).LogsPage),
    page('/sql', async () => (await import('../features/sql/views/sql-page.tsx')).SqlPage),
    page('/people', async () => (await import('../features/people/people-page.tsx')).PeoplePage),
    page('/sessions', async () => (await import('../features/sessions/sessions-page.tsx')).SessionsPage),
    page('/account', async () => (await import('../features/account/account-page.tsx')).AccountPage),
    page('/device', async () => (await import('../features/device/device-page.tsx')).DevicePage),
    page('/join', async () => (await import('../features/join/join-page.tsx')).JoinPage),
    page(
      '/reset-password',
      async () => (await import('../features/sign-in/reset-password-page.tsx')).ResetPasswordPage,
    ),
    page('/confirm-email', async () => (await import('../features/sign-in/confirm-email-page.tsx')).ConfirmEmailPage),
    page(
      '/sign-in-problem',
      async () => (await import('../features/sign-in/sign-in-problem-page.tsx')).SignInProblemPage,
    ),
    page('/signed-in', async () => (await import('../features/sign-in/signed-in-page.tsx')).SignedInPage),
  ]),
  defaultErrorComponent: BrokenPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

function MissingPage() {
  const { t } = useConsoleTexts();
  return (
    <EmptyState isPage icon={Compass} title={t('shell.notFound.title')} text={t('shell.notFound.text')}>
      <Link to="/deployments" className={buttonClass()}>
        {t('shell.home')}
      </Link>
    </EmptyState>
  );
}

/** Replaces a page whose code failed to load or threw; the rest of the console keeps working. */
function BrokenPage({ error, reset }: ErrorComponentProps) {
  const { t } = useConsoleTexts();
  return (
    <div className="flex flex-col gap-4">
      <h1 className="text-lg font-semibold">{t('shell.broken.title')}</h1>
      <ErrorNote error={error} onRetry={reset} />
    </div>
  );
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
