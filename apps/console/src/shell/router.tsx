import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { readDeploymentSearch } from '../features/deployments/deployment-tabs.ts';
import { readFolder } from '../features/volumes/state/folder-path.ts';
import { BrokenPage } from './broken-page.tsx';
import { Gate } from './gate.tsx';
import { MissingPage } from './missing-page.tsx';

const root = createRootRoute({ component: Gate, notFoundComponent: MissingPage });
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/deployments' });
  },
});
const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/first-run',
  component: lazyRouteComponent(() => import('../features/sign-in/first-run-page.tsx'), 'FirstRunPage'),
});
const deployments = createRoute({
  getParentRoute: () => root,
  path: '/deployments',
  component: lazyRouteComponent(() => import('../features/deployments/deployments-page.tsx'), 'DeploymentsPage'),
});
const deployment = createRoute({
  getParentRoute: () => root,
  path: '/deployments/$name',
  validateSearch: readDeploymentSearch,
  component: lazyRouteComponent(() => import('../features/deployments/deployment-page.tsx'), 'DeploymentPage'),
});
const volumes = createRoute({
  getParentRoute: () => root,
  path: '/volumes',
  component: lazyRouteComponent(() => import('../features/volumes/views/volumes-page.tsx'), 'VolumesPage'),
});
const volume = createRoute({
  getParentRoute: () => root,
  path: '/volumes/$volume',
  validateSearch: readFolder,
  component: lazyRouteComponent(() => import('../features/volumes/views/volume-page.tsx'), 'VolumePage'),
});
const billing = createRoute({
  getParentRoute: () => root,
  path: '/billing',
  component: lazyRouteComponent(() => import('../features/billing/views/billing-page.tsx'), 'BillingPage'),
});
const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: lazyRouteComponent(() => import('../features/keys/keys-page.tsx'), 'KeysPage'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  component: lazyRouteComponent(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
});
const logs = createRoute({
  getParentRoute: () => root,
  path: '/logs',
  component: lazyRouteComponent(() => import('../features/logs/views/logs-page.tsx'), 'LogsPage'),
});
const sql = createRoute({
  getParentRoute: () => root,
  path: '/sql',
  component: lazyRouteComponent(() => import('../features/sql/views/sql-page.tsx'), 'SqlPage'),
});

const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  component: lazyRouteComponent(() => import('../features/people/people-page.tsx'), 'PeoplePage'),
});
const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  component: lazyRouteComponent(() => import('../features/sessions/sessions-page.tsx'), 'SessionsPage'),
});
const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(() => import('../features/account/account-page.tsx'), 'AccountPage'),
});
const device = createRoute({
  getParentRoute: () => root,
  path: '/device',
  component: lazyRouteComponent(() => import('../features/device/device-page.tsx'), 'DevicePage'),
});
const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('../features/join/join-page.tsx'), 'JoinPage'),
});

const signInProblem = createRoute({
  getParentRoute: () => root,
  path: '/sign-in-problem',
  component: lazyRouteComponent(() => import('../features/sign-in/sign-in-problem-page.tsx'), 'SignInProblemPage'),
});
const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  component: lazyRouteComponent(() => import('../features/sign-in/signed-in-page.tsx'), 'SignedInPage'),
});

/** The routes of the console. The code of each page is loaded on its first visit. */
export const router = createRouter({
  routeTree: root.addChildren([
    volumes,
    volume,
    billing,
    home,
    firstRun,
    deployments,
    deployment,
    keys,
    audit,
    logs,
    sql,
    people,
    sessions,
    account,
    device,
    join,
    signInProblem,
    signedIn,
  ]),
  defaultErrorComponent: BrokenPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
